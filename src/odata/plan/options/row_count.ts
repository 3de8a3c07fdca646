/**
 * The values of `$top` and `$skip` (OData 4.01 Part 2, section 5.1.7).
 *
 * @module
 */

import type { PrimitiveLiteral, QueryOptions } from "../../url/ast.ts";
import { syntaxError } from "../../url/syntax_error.ts";

/**
 * The literal of an option.
 *
 * @param options the options
 * @param name the option
 * @returns undefined without the option
 */
export function rowCountLiteral(options: QueryOptions, name: "top" | "skip"): PrimitiveLiteral | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  const offset = options.valueOffsets?.[name] ?? -1;
  return { kind: "primitiveLiteral", offset, type: "Edm.Int64", value, text: String(value) };
}

/**
 * Reads a number of rows, as the parser does.
 *
 * @param literal digits
 * @returns the number
 * @throws {ServiceError} 400 if there are too many of them
 */
export function rowCount({ value, text, offset }: PrimitiveLiteral): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw syntaxError({ offset, found: text, expected: "a non-negative integer" });
}
