/**
 * Texts of initial rows that are longer than declared.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { FlatElement } from "../model/linked.ts";
import type { CsvRemark } from "./csv.ts";

/** Where a value stands. */
interface TextPlace {
  readonly file: string;
  readonly line?: number;
  /** Takes columns with such texts, which are kept; without it they are refused. */
  readonly tooLong?: CsvRemark;
}

/**
 * Whether a value is a text of more characters than declared; a surrogate pair is one.
 *
 * @param value of an initial row
 * @param column its column
 */
export function isTooLong(value: unknown, { type: { builtin, length } }: FlatElement): boolean {
  return typeof value === "string" && builtin === "cds.String" && length !== undefined &&
    value.length > length && [...value].length > length;
}

/**
 * Remarks or refuses a text that is too long.
 *
 * @throws ConfigurationError with file and line where nothing takes the remark
 */
export function checkLength(
  value: unknown,
  column: FlatElement,
  { file, line = 1, tooLong }: TextPlace,
): void {
  if (!isTooLong(value, column)) return;
  const problem =
    `"${column.name}" has a text longer than the ${column.type.length} characters of its declaration`;
  if (!tooLong) throw new ConfigurationError(problem, { file, line });
  tooLong(problem, line);
}
