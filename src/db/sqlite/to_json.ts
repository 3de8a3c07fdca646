/**
 * Rows for payloads as JSON text.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { JsonRows } from "../../service/database.ts";

/**
 * JSON of rows.
 *
 * @param rows as values or as JSON text
 * @param options the number of all that match, where it is known; whether one row is asked for
 */
export function toJson(
  rows: readonly (Row | string)[],
  { count, one }: { readonly count: number | undefined; readonly one: boolean },
): JsonRows {
  const first = rows[0];
  if (first === undefined) return new JsonRows(one ? "null" : "[]", 0, { count });
  if (one) return new JsonRows(textOf(first), rows.length, { count });
  const json = typeof first === "string" ? `[${rows.join(",")}]` : JSON.stringify(rows);
  return new JsonRows(json, rows.length, { count, last: () => textOf(rows.at(-1)!) });
}

function textOf(row: Row | string): string {
  return typeof row === "string" ? row : JSON.stringify(row);
}
