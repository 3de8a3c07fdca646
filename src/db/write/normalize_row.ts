/**
 * Rows as handlers and protocols write them: flattened, with nested rows of compositions apart (flatten structures,
 * csn-cqn 5).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedElements, LinkedEntity } from "../../model/linked.ts";
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
 * Splits a row into flat values and nested rows. Associations to one become their foreign keys; associations to many
 * and members that are no elements are left out.
 *
 * @param entity what the row belongs to
 * @param row names as in the model or flat
 */
export function normalizeRow(entity: LinkedEntity, row: Row): NormalizedRow {
  const values: Row = {};
  const nested: NestedRows[] = [];
  const visit = (elements: LinkedElements, data: Row, prefix: string) => {
    for (const [name, value] of Object.entries(data)) {
      if (value === undefined) continue;
      const element = elements[name];
      const flat = `${prefix}${name}`;
      if (element === undefined || (!element.isAssociation && !isStructure(element))) {
        if (entity.$flat.has(flat)) values[flat] = value;
      } else if (!element.isAssociation) structure(element, value, flat);
      else if (element.isComposition) nested.push({ composition: element, rows: rowsOf(value) });
      else Object.assign(values, keysOf(element, value));
    }
  };
  const structure = (element: LinkedElement, value: unknown, flat: string) => {
    if (isPlainObject(value)) return visit(element.$type.elements!, value, `${flat}_`);
    if (value !== null) return;
    for (const name of entity.$flat.keys()) if (name.startsWith(`${flat}_`)) values[name] = null;
  };
  visit(entity.elements, row, "");
  return { values, nested };
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
