/**
 * Rows as JSON objects (JSON Format 6 to 9), and rows that are gone (JSON Format 4.01, clause 15.3). Only declared members
 * are written, in the order of the row.
 *
 * @module
 */

import { isHidden, mediaElement } from "../../model/edm_types.ts";
import { typeHierarchy } from "../../model/derived_types.ts";
import { nestedStructures } from "../../model/nested_structures.ts";
import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedElements, LinkedEntity, ResolvedType } from "../../model/linked.ts";
import type { AnnotationsList } from "../headers/prefer.ts";
import {
  instanceAnnotations,
  mediaInformation,
  mediaTypeOf,
  memberCountName,
  rowControlInformation,
  rowTypeAnnotation,
  writeCount,
} from "./control_information.ts";
import type { MetadataLevel } from "../headers/accept.ts";
import { etagElement, writeTag } from "../headers/etag.ts";
import { entitySetName, isComplex, isStream, valueTypeName } from "../names.ts";
import type { AggregatedProperty, ExpandShape, MemberShape, ResultShape } from "../plan/result_shape.ts";
import { type PresentedRow, presentedRow } from "./presented_row.ts";
import { writeAggregated } from "./write_aggregated.ts";
import { canonicalUrl } from "./key_predicate.ts";
import { stringify, type ValueFormat, writeDouble, writePrimitive } from "./write_value.ts";
import type { ODataVersion } from "../headers/version.ts";
import { structureMember } from "../../model/keys.ts";

/** How rows are written. */
export interface RowFormat extends ValueFormat {
  readonly metadata: MetadataLevel;
  /** Leave out members that are null (`omit-values=nulls`). */
  readonly omitNulls?: boolean;
  /** Counts as text. */
  readonly countText?: boolean;
  /** REST: no control information, and null collections stay null. */
  readonly bare?: boolean;
  /** The annotations that the client wants; without it none of those that handlers give are written. */
  readonly annotations?: AnnotationsList | undefined;
}

/** What the writer knows of an entity: the element of each member, and the element that gives the tag. */
interface EntityWriter {
  readonly members: ReadonlyMap<string, LinkedElement>;
  readonly etag: string | undefined;
  /** Rows are presented in another form: derived types, nested structures, media. */
  readonly presents: boolean;
}

const writers = new WeakMap<LinkedEntity, EntityWriter>();

function writerOf(entity: LinkedEntity): EntityWriter {
  let writer = writers.get(entity);
  if (!writer) {
    const members = new Map<string, LinkedElement>();
    for (const [name, flat] of entity.$flat) {
      if (!isHidden(entity, flat)) members.set(name, flat.element);
    }
    for (const element of entity.elements) {
      const isKnown = members.has(element.name) || element["@cds.api.ignore"] === true;
      if (!isKnown) members.set(element.name, element);
    }
    const presents = typeHierarchy(entity) !== undefined || nestedStructures(entity).size > 0 ||
      mediaElement(entity) !== undefined;
    writer = { members, etag: etagElement(entity)?.name, presents };
    writers.set(entity, writer);
  }
  return writer;
}

/**
 * A row of an entity as the members of a JSON object, without braces.
 *
 * @param row the row
 * @param entity its entity
 * @param options `shape`: what was selected and expanded; `format`: how values are written
 */
export function writeEntityMembers(
  given: Row,
  entity: LinkedEntity,
  options: { readonly shape?: ResultShape; readonly format: RowFormat },
): string {
  const { shape, format } = options;
  if (shape?.aggregated) return writeGroup(given, shape, format);
  const writer = writerOf(entity);
  const { row, type }: PresentedRow = writer.presents && !format.bare
    ? presentedRow(given, entity, shape)
    : { row: given };
  const parts: string[] = [];
  if (!format.bare && format.metadata !== "none") {
    if (writer.etag !== undefined && row[writer.etag] !== undefined && row[writer.etag] !== null) {
      parts.push(`"@odata.etag":${JSON.stringify(writeTag(row[writer.etag]))}`);
    }
    if (format.metadata === "full") parts.push(...rowControlInformation(row, entity, type));
    else if (type?.base !== undefined) parts.push(rowTypeAnnotation(entity, type));
    if (writer.presents) parts.push(...mediaInformation(row, entity, format.metadata === "full"));
  }
  for (const name in row) {
    const value = row[name];
    if (value === undefined || (format.omitNulls && value === null) || shape?.hidden?.has(name)) continue;
    const expand = shape?.expand.find((candidate) => candidate.name === name);
    if (expand?.cast && !expand.cast.includes(type?.value ?? "")) continue;
    const member = shape?.members?.get(name);
    if (member?.count) parts.push(...memberCount(row, name));
    const text = expand ? writeExpanded(value, expand, format) : writeMember(
      {
        name,
        value,
        member,
        element: writer.members.get(name),
        computed: shape?.computed,
        types: shape?.types,
      },
      format,
    );
    if (text !== "") parts.push(text);
  }
  if (format.annotations && !format.bare) {
    parts.push(...instanceAnnotations(row, format.annotations, (name) => {
      return row[name] !== undefined && shape?.hidden?.has(name) !== true;
    }));
  }
  if (shape?.select && !format.bare && format.metadata !== "none") {
    parts.push(...mediaAnnotations(row, entity, shape.select));
  }
  return parts.join(",");
}

/** A row that `$apply` made; entities that it is related to take the place of the properties it has of them. */
function writeGroup(row: Row, { aggregated = [], expand }: ResultShape, format: RowFormat): string {
  const related = expand.filter(({ name }) => row[name] !== undefined);
  const write = (value: unknown, { element, type }: AggregatedProperty) =>
    element ? writeElementValue(value, element, format) : writeComputed(value, type, format);
  if (related.length === 0) return writeAggregated(row, aggregated, write);
  const own = aggregated.filter(({ path }) => !related.some(({ name }) => name === path[0]));
  const text = writeAggregated(row, own, write);
  return [
    ...(text === "" ? [] : [text]),
    ...related.map((item) => writeExpanded(row[item.name], item, format)),
  ]
    .join(",");
}

/** A row of an entity as JSON object. */
export function writeEntity(
  row: Row,
  entity: LinkedEntity,
  options: { readonly shape?: ResultShape; readonly format: RowFormat },
): string {
  return `{${writeEntityMembers(row, entity, options)}}`;
}

function memberCount(row: Row, name: string): string[] {
  const count = memberCountName(name);
  return row[count] === undefined ? [] : [`${JSON.stringify(count)}:${Number(row[count])}`];
}

interface MemberValue {
  readonly name: string;
  /** What is selected of it. */
  readonly member?: MemberShape;
  readonly value: unknown;
  readonly element: LinkedElement | undefined;
  readonly computed?: readonly string[];
  /** Types of computed values. */
  readonly types?: ResultShape["types"];
}

function writeMember(member: MemberValue, format: RowFormat): string {
  const { name, value, element } = member;
  if (!element) {
    if (!member.computed?.includes(name)) return "";
    return `${JSON.stringify(name)}:${writeComputed(value, member.types?.get(name), format)}`;
  }
  if (isStream(element)) return "";
  const isFlat = element["@odata.nested"] !== true;
  if (isFlat && element.$type.elements && !element.isAssociation && isObject(value)) {
    return writeFlattened(name, value, { elements: element.$type.elements, format });
  }
  return `${typeAnnotation(name, element, { value, format })}${JSON.stringify(name)}:${
    writeMembers(value, element, { format, shape: member.member })
  }`;
}

function writeComputed(value: unknown, type: ResolvedType | undefined, format: RowFormat): string {
  return type ? writePrimitive(value, type, format) : writeDouble(value);
}

/** A structure that a handler returned nested: its members appear under their flat names. */
function writeFlattened(
  prefix: string,
  value: Readonly<Row>,
  options: { readonly elements: LinkedElements; readonly format: RowFormat },
): string {
  const parts: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || !Object.hasOwn(options.elements, name)) continue;
    const text = writeMember(
      { name: `${prefix}_${name}`, value: member, element: options.elements[name] },
      options.format,
    );
    if (text !== "") parts.push(text);
  }
  return parts.join(",");
}

function writeExpanded(value: unknown, expand: ExpandShape, format: RowFormat): string {
  const name = JSON.stringify(expand.name);
  const countName = JSON.stringify(`${expand.name}@odata.count`);
  const count = Array.isArray(value) ? (value as { $count?: number }).$count ?? value.length : value;
  const written = () => writeCount(Number(count ?? 0), format);
  if (expand.countOnly) return `${countName}:${written()}`;
  const prefix = expand.count && expand.element.is2many ? `${countName}:${written()},` : "";
  return `${prefix}${name}:${writeAssociation(value, expand.element, { expand, format })}`;
}

/**
 * The value of an element of any type as JSON text.
 *
 * @param value a value of a row, a result or a parameter
 * @param element the element
 * @param format how values are written
 */
export function writeElementValue(value: unknown, element: LinkedElement, format: RowFormat): string {
  if (element.isAssociation) return writeAssociation(value, element, { format });
  const { items, elements } = element.$type;
  if (items) {
    if (value === null || value === undefined) return format.bare ? "null" : "[]";
    const values = Array.isArray(value) ? value : [value];
    return `[${values.map((member) => writeElementValue(member, items, format)).join(",")}]`;
  }
  if (value === null || value === undefined) return "null";
  if (elements && isObject(value)) return writeStructure(value, elements, { format });
  return writePrimitive(value, element.$type, format);
}

/** How structures are written: `shape` is what is selected of them and computed beside their members. */
export interface StructureFormat {
  readonly format: RowFormat;
  readonly shape?: MemberShape | undefined;
}

/**
 * The part of a value that is selected, with what is computed, as JSON text (Protocol 11.2.5.1).
 *
 * @param value a structure, or a collection of them
 * @param element the element
 * @param options how values are written, and what is selected
 */
export function writeMembers(value: unknown, element: LinkedElement, options: StructureFormat): string {
  const { items, elements } = element.$type;
  const { format, shape } = options;
  if (shape === undefined) return writeElementValue(value, element, format);
  if (items && Array.isArray(value)) {
    return `[${value.map((member) => writeMembers(member, items, options)).join(",")}]`;
  }
  return elements && isObject(value)
    ? writeStructure(value, elements, options)
    : writeElementValue(value, element, format);
}

/**
 * A value of a structured type as JSON object.
 *
 * @param value the value
 * @param elements its members
 * @param options how values are written, and what is selected
 */
export function writeStructure(
  value: Readonly<Row>,
  elements: LinkedElements,
  { format, shape }: StructureFormat,
): string {
  const parts: string[] = [];
  const { select, computed } = shape ?? {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || (select && !select.has(name))) continue;
    const element = structureMember(elements, name);
    if (element) {
      const text = writeMembers(member, element, { format, shape: select?.get(name) });
      parts.push(`${JSON.stringify(name)}:${text}`);
    } else if (computed?.has(name)) {
      parts.push(`${JSON.stringify(name)}:${writeComputed(member, computed.get(name), format)}`);
    }
  }
  return `{${parts.join(",")}}`;
}

function writeAssociation(
  value: unknown,
  element: LinkedElement,
  options: { readonly expand?: ExpandShape; readonly format: RowFormat },
): string {
  const { expand, format } = options;
  const target = element.$target;
  if (element.is2many) {
    const rows = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
    return `[${rows.map((row) => writeTarget(row, target, { expand, format })).join(",")}]`;
  }
  const row = Array.isArray(value) ? value[0] : value;
  return row === null || row === undefined ? "null" : writeTarget(row, target, { expand, format });
}

function writeTarget(
  row: unknown,
  target: LinkedEntity | undefined,
  options: { readonly expand?: ExpandShape; readonly format: RowFormat },
): string {
  if (!isObject(row)) return stringify(row);
  if (!target) return stringify(row);
  if (options.expand?.ref) return `{"@odata.id":${JSON.stringify(canonicalUrl(target, row) ?? "")}}`;
  return writeEntity(row, target, { shape: options.expand?.shape, format: options.format });
}

/** Types that the JSON form does not show, with `odata.metadata=full` (JSON Format 4.6.3). */
function typeAnnotation(
  name: string,
  element: LinkedElement,
  options: { readonly value: unknown; readonly format: RowFormat },
): string {
  if (options.format.metadata !== "full" || options.format.bare) return "";
  if (element.isAssociation || options.value === null || element.$type.elements) return "";
  const item = element.$type.items;
  if (item && isComplex(item)) return "";
  const type = valueTypeName(item ?? element, "Edm.ComplexType").replace(/^Edm\./, "");
  if (!item && (type === "String" || type === "Boolean" || type === "Double")) return "";
  return `${JSON.stringify(`${name}@odata.type`)}:"#${item ? `Collection(${type})` : type}",`;
}

/** Media type of selected streams (JSON Format 9). */
function mediaAnnotations(row: Row, entity: LinkedEntity, select: readonly string[]): string[] {
  const parts: string[] = [];
  for (const name of select) {
    const element = entity.$flat.get(name)?.element;
    if (!element || !isStream(element)) continue;
    const type = mediaTypeOf(row, element);
    if (typeof type === "string") {
      parts.push(`${JSON.stringify(`${name}@odata.mediaContentType`)}:${JSON.stringify(type)}`);
    }
  }
  return parts;
}

/** Whether a value is an object that is not an array. */
export function isObject(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/**
 * A deleted entity as JSON object: the form of the protocol version.
 *
 * @param entity the entity
 * @param keys its keys
 * @param options `reason`: `changed` for a row that is there, but not among those asked for
 */
export function writeRemoved(
  entity: LinkedEntity,
  keys: Row,
  { version, reason }: { readonly version: ODataVersion; readonly reason: "deleted" | "changed" },
): string {
  const id = canonicalUrl(entity, keys);
  return version === "4.0"
    ? stringify({ "@odata.context": `#${entitySetName(entity)}/$deletedEntity`, id, reason })
    : stringify({ "@odata.removed": { reason }, "@odata.id": id });
}
