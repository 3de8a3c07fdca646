/**
 * Values with names as columns.
 *
 * @module
 */

import type { Column } from "../../../cqn/cqn.ts";
import type { Typed } from "../scope.ts";

/** Types whose values databases keep in another form than rows have them. */
const TOLD: ReadonlySet<string> = new Set([
  "cds.Boolean",
  "cds.Date",
  "cds.DateTime",
  "cds.Time",
  "cds.Timestamp",
]);

/**
 * A value as column of a query, which tells its type where a row could not be read without.
 *
 * @param value the value
 * @param name of the column
 */
export function typedColumn({ expr, type }: Typed, name: string): Column {
  const isTold = type !== undefined && TOLD.has(type.builtin) && !("cast" in expr) && !("ref" in expr);
  return { ...expr, ...(isTold && { cast: { type: type.builtin } }), as: name } as Column; // a column has a name
}
