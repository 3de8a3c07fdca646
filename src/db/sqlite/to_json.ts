/**
 * Rows for payloads as JSON text.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { JsonRows } from "../../service/database.ts";

/** Rows, as values or as JSON text, and the number of all that match where it is known. */
export interface FoundRows {
  readonly rows: (Row | string)[];
  readonly count: number | undefined;
}

/**
 * JSON of rows.
 *
 * @param found the rows
 * @param one whether one row is asked for
 */
export function toJson({ rows, count }: FoundRows, one: boolean): JsonRows {
  const first = rows[0];
  if (first === undefined) return new JsonRows(one ? "null" : "[]", 0, { count });
  if (one) return new JsonRows(textOf(first), rows.length, { count });
  const json = typeof first === "string" ? `[${rows.join(",")}]` : JSON.stringify(rows);
  return new JsonRows(json, rows.length, { count, last: () => textOf(rows.at(-1)!) });
}

/** The same for rows that are still to come. */
export async function toJsonLater(found: Promise<FoundRows>, one: boolean): Promise<JsonRows> {
  return toJson(await found, one);
}

function textOf(row: Row | string): string {
  return typeof row === "string" ? row : JSON.stringify(row);
}
