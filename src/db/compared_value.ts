/**
 * Values in conditions in the form of the element that they are compared with.
 *
 * @module
 */

import { INTEGER_TYPES } from "../model/builtin_types.ts";
import { booleanOf } from "../util/boolean_of.ts";
import { plainDecimal } from "../util/plain_decimal.ts";
import { isTemporal, temporalText } from "../util/temporal_text.ts";
import { INFINITE, isNumeral, isWholeOf } from "./write/number_value.ts";
import { refuseValue } from "./write/refuse_value.ts";
import { isTemporalText } from "./write/temporal_value.ts";

/** Digits of a decimal that a number holds. */
const DIGITS = 15;

/**
 * The value to compare an element with. Numbers may be larger or have more digits than the element holds, and texts be
 * longer: they are just not equal.
 *
 * @param value any value
 * @param builtin the built-in type of the element
 * @throws ServiceError 400 for what is no value of the type at all
 */
export function comparedValue(value: unknown, builtin: string): unknown {
  if (value === null || value === undefined) return value;
  if (isTemporal(builtin)) {
    const text = typeof value === "string" || value instanceof Date ? temporalText(value, builtin) : "";
    return isTemporalText(text, builtin) ? text : refuseValue(value, { type: { builtin } });
  }
  switch (builtin) {
    case "cds.Boolean":
      return booleanOf(value) ?? refuseValue(value, { type: { builtin } });
    case "cds.String":
    case "cds.LargeString":
    case "cds.UUID":
      return textOf(value);
    case "cds.Double":
    case "cds.Decimal":
      return decimalOf(value, builtin);
  }
  return INTEGER_TYPES.has(builtin) ? wholeOf(value, builtin) : value;
}

function textOf(value: unknown): unknown {
  if (typeof value === "number" || typeof value === "bigint") return plainDecimal(String(value));
  return typeof value === "boolean" ? String(value) : value;
}

function wholeOf(value: unknown, builtin: string): unknown {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string" || !isWholeOf(value, builtin)) {
    return refuseValue(value, { type: { builtin } });
  }
  return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
}

function decimalOf(value: unknown, builtin: string): unknown {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return refuseValue(value, { type: { builtin } });
  const infinite = builtin === "cds.Double" ? INFINITE.get(value) : undefined;
  if (infinite !== undefined) return infinite;
  if (!isNumeral(value)) return refuseValue(value, { type: { builtin } });
  const digits = value.replace(/e.*$/i, "").replace(/\D/g, "").replace(/^0+/, "");
  return digits.length <= DIGITS || builtin === "cds.Double" ? Number(value) : value;
}
