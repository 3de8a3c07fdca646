/**
 * Bodies as rows: members checked against the model, structures flat, references as foreign keys (JSON Format 6 to 9).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { deltaRows } from "../../cqn/entries_of.ts";
import type { LinkedElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
import {
  isReference,
  isRemoved,
  keysOfLink,
  linkedMember,
  linkOf,
  readReference,
  removalOf,
} from "./links.ts";
import { type NestedStructure, nestedStructures } from "../../model/nested_structures.ts";
import { isOfType, typeText } from "../../service/validation/check_type.ts";
import { ExactNumber, type JsonValue } from "./parse_json.ts";
import {
  type BoundMember,
  childKey,
  type InputOptions,
  inside,
  isJsonObject,
  lacksKey,
  missingKeys,
  Place,
  plainMembers,
  plainProperties,
  type Reading,
  readType,
  type RelatedRow,
  setForeignKeys,
  setValue,
} from "./reading.ts";
import { edmProperty } from "../../model/edm_types.ts";
import { flatValues } from "./presented_row.ts";
import { readControl } from "./read_control.ts";
import { readPrimitive } from "./read_value.ts";
import { foreignKeyMember } from "../../model/keys.ts";

/**
 * Reads an object as row of an entity. Values of a wrong type that the service refuses by itself stay in the row, so
 * that they are reported together with what else is wrong.
 *
 * @param value the object
 * @param entity the entity
 * @param options model, limits and where errors go
 */
export function readEntity(value: JsonValue, entity: LinkedEntity, options: InputOptions): Row {
  return readEntityAt(value, entity, { options, place: new Place(entity.name), isValidated: true });
}

function readEntityAt(value: JsonValue, entity: LinkedEntity, reading: Reading): Row {
  const { options, place } = reading;
  const row: Row = {};
  if (!isJsonObject(value)) {
    options.violations.wrongType(value, entity.name, place.path || entity.name);
    return row;
  }
  readType(value, entity, { row, reading });
  const properties = plainProperties(entity);
  for (const name of Object.keys(value)) {
    const member = value[name];
    const plain = properties.get(name);
    if (plain && member !== null) {
      const read = readPrimitive(member, plain.type, options.defaultStringLength);
      const value = read === undefined ? readElement(member, plain.element, inside(reading, name)) : read;
      if (row[name] === undefined) row[name] = value;
      else setValue(row, name, { value, reading });
      continue;
    }
    if (name.includes("@")) {
      readAnnotation(name, member, { row, entity, reading });
      continue;
    }
    const structure = nestedStructures(entity).get(name);
    if (structure) {
      Object.assign(row, readNested(member, structure, inside(reading, name)));
      continue;
    }
    const flat = edmProperty(entity, name);
    const element = Object.hasOwn(entity.elements, name) ? entity.elements[name] : undefined;
    if (flat) {
      setValue(row, name, { value: readElement(member, flat.element, inside(reading, name)), reading });
    } else if (element?.isAssociation && element["@cds.api.ignore"] !== true) {
      const related = {
        row,
        reading: inside(reading, name),
        around: reading,
        ...(!place.isTop && { owner: { entity, row } }),
      };
      readAssociation(member, element, related);
    } else {
      const known = [...entity.$flat.keys()].filter((one) => edmProperty(entity, one));
      options.violations.unknown(name, { owner: place.owner, known });
    }
  }
  return row;
}

/** A structure that stays nested: what it does not mention stays as it is. */
function readNested(value: JsonValue, { element, leaves }: NestedStructure, reading: Reading): Row {
  return flatValues(readElement(value, element, { ...reading, isValidated: false }), leaves);
}

/** Annotations of clients are ignored, but for links (`author@odata.bind`) and versions. */
function readAnnotation(
  name: string,
  value: JsonValue,
  at: { readonly row: Row; readonly entity: LinkedEntity; readonly reading: Reading },
): void {
  const { options: { violations }, place } = at.reading;
  if (readControl(name, value, at)) return;
  const match = /^([^@]+)@(?:odata\.)?(bind|delta)$/.exec(name);
  if (!match) return;
  const property = match[1]!;
  const element = Object.hasOwn(at.entity.elements, property) ? at.entity.elements[property] : undefined;
  if (!element?.isAssociation || !element.$target || element["@cds.api.ignore"] === true) {
    const known = [...at.entity.associations].map((association) => association.name);
    const { owner } = place;
    return violations.unknown(property, { owner, known, what: "Navigation property" });
  }
  if (match[2] === "delta" || element.is2many) {
    const collection = { ...at, annotation: name };
    if (match[2] === "bind") return bindMembers(value, element, collection);
    return element.isComposition
      ? readDelta(value, element, collection)
      : readLinkChanges(value, element, collection);
  }
  if (value === null) return setForeignKeys(at.row, element, { keys: null, reading: at.reading });
  if (typeof value !== "string") return violations.wrongType(value, "link", property);
  const keys = keysOfLink(value, element, inside(at.reading, property));
  setForeignKeys(at.row, element, { keys, reading: at.reading });
}

interface CollectionAnnotation {
  readonly row: Row;
  readonly entity: LinkedEntity;
  readonly reading: Reading;
  /** Name of the annotation as written. */
  readonly annotation: string;
}

/** `books@odata.bind: ["Books(1)", "Books(2)"]`. */
function bindMembers(value: JsonValue, element: LinkedElement, at: CollectionAnnotation): void {
  const { options } = at.reading;
  if (!options.bindMember) return refuse(at, element);
  if (!Array.isArray(value)) return options.violations.noArray(element.name);
  for (const link of value) {
    if (typeof link !== "string") options.violations.wrongType(link, "link", element.name);
    else {
      const keys = keysOfLink(link, element, inside(at.reading, element.name));
      options.bindMember({ element, keys, ...ownerOf(at) });
    }
  }
}

/** The row that has the association, unless it is the one at the top. */
function ownerOf({ row, entity, reading }: CollectionAnnotation): Pick<BoundMember, "owner"> {
  return reading.place.isTop ? {} : { owner: { entity, row } };
}

/**
 * `books@delta: [{"@id": "Books(1)"}, {"@removed": {}, "@id": "Books(2)"}]`: rows that are linked or parted, which
 * stay, unless the reason is that they are deleted (JSON Format 4.01, clause 15).
 */
function readLinkChanges(value: JsonValue, element: LinkedElement, at: CollectionAnnotation): void {
  const { options } = at.reading;
  const target = element.$target!; // checked by readAnnotation
  if (!element.is2many || !options.bindMember) return refuse(at, element);
  if (!Array.isArray(value)) return options.violations.noArray(element.name);
  value.forEach((member, index) => {
    const reading = inside(at.reading, `${element.name}${childKey(member, target) ?? `[${index}]`}`);
    const data = readChanged(member, element, reading);
    const keys: Row = {};
    for (const { name } of target.$flatKeys) {
      keys[name] = data[name];
      delete data[name];
    }
    if (Object.values(keys).some((key) => key === undefined || key === null)) {
      return options.violations.add(missingKeys(at.annotation, reading.place.path));
    }
    options.bindMember!({ element, keys, data, ...removalOf(member), ...ownerOf(at) });
  });
}

/** The row of a change, with the keys of its link. */
function readChanged(member: JsonValue, element: LinkedElement, reading: Reading): Row {
  const link = linkOf(member);
  const keys = typeof link === "string" ? keysOfLink(link, element, reading) : {};
  const row = readEntityAt(member, element.$target!, reading); // the callers have checked it
  return Object.assign(row, { ...keys, ...row });
}

/** `items@delta: [{…}, {"@removed": {}, "ID": 1}]`: changes of a composition (JSON Format 4.01, clause 8.4). */
function readDelta(value: JsonValue, element: LinkedElement, at: CollectionAnnotation): void {
  const { options } = at.reading;
  const target = element.$target!; // checked by readAnnotation
  if (!element.is2many) return refuse(at, element);
  if (!Array.isArray(value)) return options.violations.noArray(element.name);
  const changed: Row[] = [];
  const removed: Row[] = [];
  value.forEach((member, index) => {
    const reading = inside(at.reading, `${element.name}${childKey(member, target) ?? `[${index}]`}`);
    const row = readChanged(member, element, reading);
    if (!isRemoved(member)) return changed.push(row);
    removed.push(row);
    if (lacksKey(row, element)) options.violations.add(missingKeys(at.annotation, reading.place.path));
  });
  at.row[element.name] = deltaRows(changed, removed);
}

function refuse(at: CollectionAnnotation, element: LinkedElement): void {
  const message = `"${at.annotation}" is not supported here`;
  at.reading.options.violations.add({ status: 501, message, target: element.name, $sanitize: false });
}

interface AtAssociation {
  readonly row: Row;
  readonly reading: Reading;
  /** The reading of the row. */
  readonly around: Reading;
  /** The row, unless it is the one at the top. */
  readonly owner?: RelatedRow["owner"];
}

function readAssociation(value: JsonValue, element: LinkedElement, at: AtAssociation): void {
  const { row, reading, around } = at;
  const target = element.$target;
  if (!target) return;
  if (element.is2many) return readMany(value, element, at);
  if (value === null) {
    setForeignKeys(row, element, { keys: null, reading: around });
    if (element.isComposition) row[element.name] = null;
    return;
  }
  const link = linkOf(value);
  if (element.isComposition && !(element.isManaged && isReference(value))) {
    row[element.name] = readPart(value, element, reading);
    return;
  }
  if (typeof link !== "string" && isDeep(element, reading)) {
    const related = readEntityAt(value, target, reading);
    reading.options.insertRelated!({ element, row: related, ...(at.owner && { owner: at.owner }) });
    return;
  }
  const keys = readReference(value, element, { reading, readRow: readEntityAt });
  setForeignKeys(row, element, { keys, reading: around });
}

/** A part; its keys may be told by its id only (Protocol 11.4.3.1). */
function readPart(value: JsonValue, composition: LinkedElement, reading: Reading): Row {
  const target = composition.$target!; // checked by readAssociation
  const row = readEntityAt(value, target, reading);
  const link = linkOf(value);
  if (typeof link !== "string") return row;
  const isUnknown = lacksKey(row, composition) ||
    (composition.isManaged && target.$flatKeys.some(({ name }) => row[name] === undefined));
  return isUnknown ? Object.assign(row, { ...keysOfLink(link, composition, reading), ...row }) : row;
}

function isDeep(element: LinkedElement, { options }: Reading): boolean {
  return element["@odata.deepInsert"] === true && options.insertRelated !== undefined;
}

function readMany(value: JsonValue, element: LinkedElement, at: AtAssociation): void {
  const { options, place } = at.reading;
  const target = element.$target!; // checked by readAssociation
  if (value !== null && !Array.isArray(value)) {
    return options.violations.wrongType(value, `array of ${target.name}`, place.path);
  }
  const members = (value as readonly JsonValue[] | null ?? []).map((member, index) => {
    const own = place.item(() => childKey(member, target) ?? `[${index}]`);
    return { member, reading: { ...at.reading, place: own } };
  });
  if (element.isComposition) {
    at.row[element.name] = members.flatMap((one) => {
      const row = readPart(one.member, element, one.reading);
      // a new row takes over what it refers to
      if (!isReference(one.member) || options.replaceRelated || !options.bindMember) return [row];
      options.bindMember({ element, keys: row, ...(at.owner && { owner: at.owner }) });
      return [];
    });
    return;
  }
  // other associations to many are not written through their source
  const isWritten = isDeep(element, at.reading);
  if (isWritten) options.replaceRelated?.({ element, ...(at.owner && { owner: at.owner }) });
  for (const { member, reading } of members) {
    const link = linkOf(member);
    const keys = typeof link === "string" && isWritten ? keysOfLink(link, element, reading) : {};
    const row = readEntityAt(member, target, reading);
    if (isWritten) addRelated(element, { keys, row }, at);
  }
}

/** A member to link, or to create. */
function addRelated(
  element: LinkedElement,
  { keys, row }: { readonly keys: Row; readonly row: Row },
  { reading: { options }, owner }: AtAssociation,
): void {
  const of = owner ? { owner } : {};
  if (Object.keys(keys).length > 0) options.bindMember?.({ element, keys, ...of });
  else options.insertRelated?.({ element, row, ...of });
}

function readElement(value: JsonValue, element: LinkedElement, reading: Reading): unknown {
  if (value === null) return null;
  const { options, place } = reading;
  const { items, elements } = element.$type;
  if (items) {
    if (!Array.isArray(value)) {
      if (reading.isValidated && !(value instanceof ExactNumber)) return value;
      options.violations.noArray(place.path);
      return null;
    }
    return value.map((member, index) =>
      readTyped(member, items, {
        ...reading,
        place: place.item(() => `[${index}]`),
      })
    );
  }
  if (elements) return readStructure(value, elements, reading);
  const read = readPrimitive(value, element.$type, options.defaultStringLength);
  if (read === undefined) {
    const isRefused = !(value instanceof ExactNumber) &&
      !isOfType(value, element.$type, options.defaultStringLength);
    // the checks of the service find it, too
    if (reading.isValidated && isRefused) return value;
    options.violations.wrongType(value, typeText(element.$type, options.defaultStringLength), place.path);
  }
  return read;
}

function readStructure(value: JsonValue, elements: LinkedElements, reading: Reading): unknown {
  const { options, place } = reading;
  if (!isJsonObject(value)) {
    options.violations.wrongType(value, "structure", place.path);
    return null;
  }
  const structure: Row = {};
  const plain = plainMembers(elements);
  for (const name of Object.keys(value)) {
    const member = value[name]!;
    const type = member === null ? undefined : plain.get(name);
    const read = type && readPrimitive(member, type, options.defaultStringLength);
    const element = Object.hasOwn(elements, name) ? elements[name] : undefined;
    const key = element ? undefined : foreignKeyMember(elements, name);
    if (read !== undefined) structure[name] = read;
    else if (name.includes("@")) Object.assign(structure, linkedMember(name, member, { elements, reading }));
    else if (element) structure[name] = readTyped(member, element, inside(reading, name));
    else if (key) {
      structure[name] = readElement(member, key, { ...inside(reading, name), isValidated: false });
    } else options.violations.unknown(name, { owner: place.owner, known: Object.keys(elements) });
  }
  return structure;
}

/** A value of any type: an entity, a reference to one, a structure, an array or a primitive. */
function readTyped(value: JsonValue, element: LinkedElement, reading: Reading): unknown {
  if (value === null) return null;
  const entity = element.$target ?? reading.options.model.entity(element.$type.typeName ?? "");
  if (!entity || element.$type.items) return readElement(value, element, reading);
  const { options, place } = reading;
  if (!element.is2many) return readEntityAt(value, entity, { options, place });
  if (Array.isArray(value)) return value.map((member) => readEntityAt(member, entity, { options, place }));
  reading.options.violations.noArray(reading.place.path);
  return null;
}

/**
 * Reads the members of an object as parameters of an operation; structures stay nested.
 *
 * @param value the object
 * @param params the declared parameters
 * @param reading `owner`: qualified name of the operation; `options`: model, limits and where errors go
 */
export function readParameters(
  value: JsonValue,
  params: LinkedElements,
  { owner, options }: { readonly owner: string; readonly options: InputOptions },
): Row {
  const reading = { options, place: new Place(owner), isValidated: true };
  const structure = readStructure(value, params, reading);
  return isJsonObject(structure as JsonValue) ? structure as Row : {};
}

/** Reads one value, for example of a property path or a parameter alias. */
export function readSingle(value: JsonValue, element: LinkedElement, options: InputOptions): unknown {
  return readElement(value, element, { options, place: new Place(element.name, element.name) });
}
