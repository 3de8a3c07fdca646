/**
 * Whether values in rows are of the declared type.
 *
 * @module
 */

import type { ResolvedType } from "../../model/linked.ts";
import { WHOLE_RANGES } from "../../model/values/text_forms.ts";
import { isKnownInstant, isRealDay } from "../../util/is_real_day.ts";

const PATTERNS: Readonly<Record<string, RegExp>> = {
  "cds.UUID": /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/i,
  "cds.Date": /^\d{4}-\d\d-\d\d$/,
  "cds.Time": /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?$/,
  "cds.DateTime": /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/,
  "cds.Timestamp": /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/,
};
const DECIMAL = /^[+-]?(\d{1,200})(?:\.(\d{1,200}))?$/;

/**
 * Whether a value that is not null is of a type.
 *
 * @param value a value as rows hold it
 * @param type a type that is neither structured nor arrayed
 * @param defaultStringLength characters of a String without declared length
 */
export function isOfType(value: unknown, type: ResolvedType, defaultStringLength: number): boolean {
  const { builtin = "", length } = type;
  switch (builtin) {
    case "cds.UInt8":
    case "cds.Int16":
    case "cds.Int32":
    case "cds.Integer":
      return isInteger(value, WHOLE_RANGES[builtin]!);
    case "cds.Boolean":
      return typeof value === "boolean";
    case "cds.Int64":
    case "cds.Integer64":
      return isInt64(value);
    case "cds.Decimal":
      return isDecimal(value, type);
    case "cds.Double":
      return typeof value === "number" || (typeof value === "string" && /^(?:-?INF|NaN)$/.test(value));
    case "cds.String":
      return typeof value === "string" && isWithin(value, length ?? defaultStringLength);
    case "cds.LargeString":
      return typeof value === "string";
    case "cds.Binary":
      return isBinary(value, length);
    default:
      return PATTERNS[builtin] === undefined || isFormed(value, builtin);
  }
}

/**
 * Whether a value can stand for a UUID where they are any texts.
 *
 * @param value a value as rows hold it
 * @param element the element that it is for
 */
export function isLooseId(value: unknown, { $type }: { readonly $type: ResolvedType }): boolean {
  return $type.builtin === "cds.UUID" && typeof value === "string" && value !== "" && isWithin(value, 36);
}

function isInteger(value: unknown, [least, most]: readonly [number, number]): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** Whether a text has no more characters than that; a surrogate pair is one. */
function isWithin(text: string, length: number): boolean {
  return text.length <= length || [...text].length <= length;
}

function isInt64(value: unknown): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (typeof value === "string" && !/^[+-]?\d{1,19}$/.test(value)) return false;
  if (typeof value !== "string" && typeof value !== "bigint") return false;
  const number = BigInt(value);
  return number === BigInt.asIntN(64, number);
}

function isDecimal(value: unknown, { precision, scale }: ResolvedType): boolean {
  if (typeof value === "bigint") return true;
  if (typeof value === "number" && /e/.test(String(value))) {
    return Number.isFinite(value) && precision === undefined;
  }
  if (typeof value !== "number" && typeof value !== "string") return false;
  const match = DECIMAL.exec(String(value));
  if (!match) {
    return typeof value === "string" && precision === undefined &&
      /^[+-]?\d+(?:\.\d+)?e[+-]?\d{1,3}$/i.test(value);
  }
  if (precision === undefined) return true;
  const fraction = (match[2] ?? "").replace(/0+$/, "");
  const digits = typeof scale === "number" ? scale : precision;
  const whole = match[1]!.replace(/^0+/, "");
  if (fraction.length > digits) return false;
  return whole.length <= precision - (typeof scale === "number" ? scale : fraction.length);
}

function isBinary(value: unknown, length: number | undefined): boolean {
  if (value instanceof Uint8Array) return length === undefined || value.length <= length;
  if (typeof value !== "string" || !/^[\w+/-]*={0,2}$/.test(value)) return false;
  return length === undefined || Math.floor(value.replace(/=+$/, "").length * 3 / 4) <= length;
}

function isFormed(value: unknown, builtin: string): boolean {
  if (value instanceof Date) return builtin !== "cds.UUID" && isKnownInstant(value);
  if (typeof value !== "string" || !PATTERNS[builtin]!.test(value)) return false;
  if (builtin === "cds.UUID" || builtin === "cds.Time") return true;
  return isRealDay(value) && (builtin === "cds.Date" || isKnownInstant(new Date(value)));
}

/** A value of each type whose form is not known to everybody. */
const EXAMPLES: Readonly<Record<string, string>> = {
  Date: "2026-12-31",
  Time: "13:45:00",
  DateTime: "2026-12-31T13:45:00Z",
  Timestamp: "2026-12-31T13:45:00.000Z",
};

/** The CDS form of a type for messages: `String(20)`, `Decimal(9,2)`, `Integer`, `Date (2026-12-31)`. */
export function typeText(type: ResolvedType, defaultStringLength: number): string {
  const name = (type.builtin ?? "structure").replace(/^cds\./, "");
  if (name === "String") return `String(${type.length ?? defaultStringLength})`;
  if (name === "Binary" && type.length !== undefined) return `Binary(${type.length})`;
  if (Object.hasOwn(EXAMPLES, name)) return `${name} (${EXAMPLES[name]})`;
  if (name !== "Decimal" || type.precision === undefined) return name;
  return type.scale === undefined ? `Decimal(${type.precision})` : `Decimal(${type.precision},${type.scale})`;
}
