/**
 * Rows as queries and requests hold them (`csn-cqn` 6).
 *
 * @module
 */

import type { InsertBody, Row } from "./cqn.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { counted } from "../util/counted.ts";

/**
 * The rows that a query holds, given as entries or by columns.
 *
 * @param body the query
 * @throws TypeError for values without columns, or of another number than there are columns
 */
export function entriesOf({ entries, columns, values, rows }: InsertBody): readonly Row[] {
  if (entries) return entries;
  return (rows ?? (values ? [values] : [])).map((row) => rowOf(columns, row));
}

/**
 * The rows that a query has selected, by the names of the columns they are written to.
 *
 * @param rows the rows as they were read
 * @param columns the names; default: those that the rows have
 * @throws TypeError for another number of columns than were selected
 */
export function selectedEntries(rows: readonly Row[], columns: InsertBody["columns"]): readonly Row[] {
  return columns ? rows.map((row) => rowOf(columns, Object.values(row))) : rows;
}

function rowOf(columns: InsertBody["columns"], values: readonly unknown[]): Row {
  if (!columns) throw new TypeError("Expected the names of columns beside rows of values");
  if (values.length !== columns.length) {
    throw new TypeError(
      `Expected values of the columns ${columns.join(", ")}, found ${counted(values.length, "value")}`,
    );
  }
  return Object.fromEntries(columns.map((name, index) => [name, values[index]]));
}

/**
 * A copy of a row with copies of the rows, lists and structures in it; other values are the same.
 *
 * @param row the row
 */
export function copyRow(row: Row): Row {
  const copy: Row = { ...row };
  for (const name in copy) {
    const value = copy[name];
    if (typeof value === "object") copy[name] = copyValue(value);
  }
  return copy;
}

function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyValue);
  return isPlainObject(value) ? copyRow(value as Row) : value;
}

const REMOVED = Symbol("removed");

/**
 * Marks an array of rows as changes: an update inserts or updates these rows, removes the others named, and leaves
 * all else as it is.
 *
 * @param changed new and changed rows
 * @param removed keys of the rows to remove
 * @returns the array of changed rows
 */
export function deltaRows(changed: readonly Row[], removed: readonly Row[]): Row[] {
  return Object.defineProperty([...changed], REMOVED, { value: removed });
}

/**
 * The rows that changes remove.
 *
 * @param rows rows of a composition
 * @returns keys; undefined if the rows are the full set
 */
export function removedRows(rows: unknown): readonly Row[] | undefined {
  return (rows as { readonly [REMOVED]?: readonly Row[] } | null | undefined)?.[REMOVED];
}

/** Whether a value is a row or a structure: an object that is no list. */
export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The rows that a value holds: one, several or none. */
export function rowsIn(value: unknown): readonly Row[] {
  const rows = Array.isArray(value) ? value : [value];
  return rows.filter((row): row is Row => typeof row === "object" && row !== null);
}
