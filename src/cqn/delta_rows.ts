/**
 * Rows of a composition that are changes instead of the full set (JSON Format 4.01, clause 8.4: nested delta).
 *
 * @module
 */

import type { Row } from "./cqn.ts";

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
