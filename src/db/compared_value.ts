/**
 * Values in conditions in the form of the element that they are compared with.
 *
 * @module
 */

import type { ComparedForm } from "../algebra/tree.ts";
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
 * @param form the built-in type of the element, and its name
 * @throws ServiceError 400 for what is no value of the type at all
 */
export function comparedValue(value: unknown, form: ComparedForm): unknown {
  if (value === null || value === undefined) return value;
  const { type: builtin } = form;
  if (isTemporal(builtin)) {
    const text = typeof value === "string" || value instanceof Date ? temporalText(value, builtin) : "";
    return isTemporalText(text, builtin) ? text : refuse(value, form);
  }
  switch (builtin) {
    case "cds.Boolean":
      return booleanOf(value) ?? refuse(value, form);
    case "cds.String":
    case "cds.LargeString":
    case "cds.UUID":
      return textOf(value, form);
    case "cds.Binary":
    case "cds.LargeBinary":
      return typeof value === "string" || ArrayBuffer.isView(value) ? value : refuse(value, form);
    case "cds.Double":
    case "cds.Decimal":
      return decimalOf(value, form);
  }
  return INTEGER_TYPES.has(builtin) ? wholeOf(value, form) : value;
}

function refuse(value: unknown, { type, name }: ComparedForm): never {
  return refuseValue(value, { name, type: { builtin: type } });
}

function textOf(value: unknown, form: ComparedForm): unknown {
  if (ArrayBuffer.isView(value)) return refuse(value, form);
  if (typeof value === "number" || typeof value === "bigint") return plainDecimal(String(value));
  return typeof value === "boolean" ? String(value) : value;
}

function wholeOf(value: unknown, form: ComparedForm): unknown {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string" || !isWholeOf(value, form.type)) return refuse(value, form);
  return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
}

function decimalOf(value: unknown, form: ComparedForm): unknown {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return refuse(value, form);
  const isDouble = form.type === "cds.Double";
  const infinite = isDouble ? INFINITE.get(value) : undefined;
  if (infinite !== undefined) return infinite;
  if (!isNumeral(value)) return refuse(value, form);
  const digits = value.replace(/e.*$/i, "").replace(/\D/g, "").replace(/^0+/, "");
  return digits.length <= DIGITS || isDouble ? Number(value) : value;
}
