/**
 * Values of rows as values that databases bind.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { FlatElement } from "../../model/linked.ts";
import { decodeBase64 } from "../../util/base64.ts";
import { booleanOf } from "../../util/boolean_of.ts";
import { isTemporal, temporalText } from "../../util/temporal_text.ts";
import { numberValue } from "./number_value.ts";

/** What a driver binds. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/**
 * The value to bind for an element.
 *
 * @param value a value as rows have it
 * @param column gives the type
 * @throws TypeError for values no column can hold
 * @throws ServiceError 400 for text with U+0000, and for what is no Boolean or whole number, or no number of so many
 *   digits, in an element that is one: what checks of input did not see ends here, on each engine the same way
 */
export function sqlValue(value: unknown, column?: FlatElement): SqlValue {
  if (value === null || value === undefined) return null;
  const type = column?.type;
  const builtin = type?.builtin;
  if (type?.items || builtin === "cds.Map") return JSON.stringify(value);
  if (builtin === "cds.Boolean") return flagOf(value, column);
  switch (typeof value) {
    case "boolean":
      return column ? numberValue(value ? 1 : 0, column) : value ? 1 : 0;
    case "string":
      if (value.includes("\0")) {
        throw new ServiceError({ status: 400, code: "ASSERT_CHARACTERS", target: column?.name });
      }
      if (builtin === "cds.Binary" || builtin === "cds.LargeBinary") return bytesOf(value);
      if (builtin === "cds.Double") return INFINITE.get(value) ?? value;
      if (isTemporal(builtin)) return temporalText(value, builtin);
      return column ? numberValue(value, column) : value;
    case "number":
      if (Number.isNaN(value)) return "NaN"; // SQLite would make it null
      return column ? numberValue(value, column) : value;
    case "bigint":
      return column ? numberValue(value, column) : value;
  }
  if (value instanceof Uint8Array) return value;
  if (value instanceof Date) return isTemporal(builtin) ? temporalText(value, builtin) : value.toISOString();
  throw new TypeError(
    `A value of type ${typeof value} cannot be stored in "${column?.element ?? "a column"}"`,
  );
}

/** Floating-point numbers that have no literal of JSON. */
const INFINITE: ReadonlyMap<string, number> = new Map([["INF", Infinity], ["-INF", -Infinity]]);

function flagOf(value: unknown, column: FlatElement | undefined): 0 | 1 {
  const found = booleanOf(value);
  if (found !== undefined) return found ? 1 : 0;
  const args = [String(value), "Boolean"];
  throw new ServiceError({ status: 400, code: "ASSERT_DATA_TYPE", target: column?.name, args });
}

/** Both alphabets of base64, padding optional. */
function bytesOf(text: string): Uint8Array {
  return decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/").replace(/[\s=]+/g, ""));
}
