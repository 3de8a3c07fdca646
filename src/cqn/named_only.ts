/**
 * Columns without expression.
 *
 * @module
 */

import type { CastType, Column } from "./cqn.ts";

const EXPRESSIONS = ["ref", "val", "xpr", "func", "list", "#", "SELECT", "SET", "expand", "inline"];

/** Whether a column consists of a name and a type: an association that the list declares. */
export function isNamedOnly(
  column: Exclude<Column, "*">,
): column is Exclude<Column, "*"> & { readonly as: string; readonly cast: CastType } {
  return column.as !== undefined && column.cast !== undefined && !EXPRESSIONS.some((key) => key in column);
}
