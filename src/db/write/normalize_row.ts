/**
 * Rows as handlers and protocols write them: flattened, with nested rows of compositions apart (flatten structures,
 * csn-cqn 5).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
import { hasStoredRows } from "../../model/runtime_view.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";

/** Nested rows of a composition. */
export interface NestedRows {
  readonly composition: LinkedElement;
  readonly rows: readonly Row[];
}

/** A row in parts. */
export interface NormalizedRow {
  /** Values by flat name. */
  readonly values: Row;
  readonly nested: readonly NestedRows[];
}

/**
 * Splits a row into flat values and nested rows. Associations to one become their foreign keys; associations to many, rows
 * that the database has no table for, and members that are no elements are left out.
 *
 * @param entity what the row belongs to
 * @param row names as in the model or flat
 */
export function normalizeRow(entity: LinkedEntity, row: Row): NormalizedRow {
  const parts: Parts = { entity, values: {}, nested: [] };
  const plain = plainNames(entity);
  for (const name of Object.keys(row)) {
    const value = row[name];
    if (plain.has(name)) { if (value !== undefined) parts.values[name] = value; }
    else addMember(parts, { elements: entity.elements, prefix: "" }, [name, value]);
  }
  return parts;
}

interface Parts extends NormalizedRow {
  readonly entity: LinkedEntity;
  readonly nested: NestedRows[];
}

/** Where members stand: at the top of a row, or in a structure. */
interface Level {
  readonly elements: LinkedElements;
  readonly prefix: string;
}

function addMember(parts: Parts, { elements, prefix }: Level, [name, value]: [string, unknown]): void {
  if (value === undefined) return;
  const { entity, values, nested } = parts;
  const element = elements[name];
  const flat = `${prefix}${name}`;
  if (element === undefined || (!element.isAssociation && !isStructure(element))) {
    if (entity.$flat.has(flat)) values[flat] = value;
  } else if (!element.isAssociation) addStructure(parts, element, { value, flat });
  else if (element.isComposition && isStoredPart(element)) {
    nested.push({ composition: element, rows: rowsOf(value) });
  } else Object.assign(values, keysOf(element, value));
}

function addStructure(
  parts: Parts,
  element: LinkedElement,
  { value, flat }: { readonly value: unknown; readonly flat: string },
): void {
  const prefix = `${flat}_`;
  if (isPlainObject(value)) {
    const level = { elements: element.$type.elements!, prefix };
    for (const member of Object.entries(value)) addMember(parts, level, member);
  } else if (value === null) {
    for (const name of parts.entity.$flat.keys()) if (name.startsWith(prefix)) parts.values[name] = null;
  }
}

const PLAIN_NAMES: WeakMap<LinkedEntity, ReadonlySet<string>> = new WeakMap();

/** Members that are values of columns as they are: most of all. */
function plainNames(entity: LinkedEntity): ReadonlySet<string> {
  let names = PLAIN_NAMES.get(entity);
  if (names === undefined) {
    const plain = [...entity.$flat.keys()].filter((name) => {
      const element = entity.elements[name];
      return element === undefined || (!element.isAssociation && !isStructure(element));
    });
    PLAIN_NAMES.set(entity, names = new Set(plain));
  }
  return names;
}

/**
 * Whether a member of rows is the value of a column as it is.
 *
 * @param entity what rows belong to
 * @param name name of the member
 */
export function isPlainName(entity: LinkedEntity, name: string): boolean {
  return plainNames(entity).has(name);
}

/** Parts that no table has are left to handlers; a foreign key in the row still says which is meant. */
function isStoredPart({ $target }: LinkedElement): boolean {
  return $target === undefined || hasStoredRows($target);
}

function isStructure({ $type }: LinkedElement): boolean {
  return $type.elements !== undefined && $type.builtin === undefined;
}

function rowsOf(value: unknown): readonly Row[] {
  if (value === null) return [];
  return (Array.isArray(value) ? value : [value]) as readonly Row[];
}

function keysOf(association: LinkedElement, value: unknown): Row {
  const result: Row = {};
  if (association.is2many || !association.$target) return result;
  const target = isPlainObject(value) ? normalizeRow(association.$target, value).values : {};
  for (const key of association.$foreignKeys ?? []) {
    if (value === null) result[key.name] = null;
    else if (target[key.target] !== undefined) result[key.name] = target[key.target];
  }
  return result;
}
