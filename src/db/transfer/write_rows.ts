/**
 * Rows as text of files that `readRows` reads.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { encodeBase64 } from "../../util/base64.ts";
import type { RowFormat } from "./read_rows.ts";

/** What a field of CSV needs quotes for: separators, quotes, line ends, spaces at its ends, and the word for null. */
const QUOTED = /[",;\t\r\n]|^ | $|^null$|^\uFEFF/;

/**
 * The text in front of all rows: CSV names its columns.
 *
 * @param columns their names
 */
export function headOf(columns: readonly string[], format: RowFormat): string {
  return format === "csv" ? `${columns.map(csvField).join(",")}\n` : "";
}

/**
 * The line of a row. An empty text and null are the same in CSV; JSON keeps them apart.
 *
 * @param row the row
 * @param columns names of its columns in order
 */
export function lineOf(row: Row, columns: readonly string[], format: RowFormat): string {
  if (format === "csv") return `${columns.map((name) => csvField(row[name])).join(",")}\n`;
  return `${JSON.stringify(Object.fromEntries(columns.map((name) => [name, plain(row[name])])))}\n`;
}

function csvField(given: unknown): string {
  const value = plain(given);
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return encodeBase64(value);
  return typeof value === "bigint" ? value.toString() : value;
}
