/**
 * Numbers of rows as their columns hold them, on each engine the same way.
 *
 * @module
 */

import type { FlatElement, ResolvedType } from "../../model/linked.ts";
import { WHOLE_RANGES } from "../../model/values/text_forms.ts";
import { plainDecimal } from "../../util/plain_decimal.ts";
import { ServiceError } from "../../errors/service_error.ts";

/** Characters of a value that an error repeats. */
const SHOWN = 100;

/** An element, as far as errors tell about it. */
interface RefusingElement {
  readonly name?: string;
  readonly type: ResolvedType;
}

/**
 * Refuses a value.
 *
 * @param value what is no value of the element
 * @param element its name, if it is known, and its type
 * @throws ServiceError 400, always
 */
export function refuseValue(value: unknown, { name, type }: RefusingElement): never {
  const text = typeof value === "object" ? "The value" : String(value);
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  const args = [shown, typeText(type)];
  throw new ServiceError({ status: 400, code: "ASSERT_DATA_TYPE", ...(name && { target: name }), args });
}

function typeText({ builtin = "", length, precision, scale }: ResolvedType): string {
  const facets = [length ?? precision, precision === undefined ? undefined : scale].filter((facet) =>
    facet !== undefined
  );
  return builtin.replace(/^cds\./, "") + (facets.length > 0 ? `(${facets.join(",")})` : "");
}

const MAX_INT64 = 2n ** 63n;
const WHOLE = /^[+-]?\d{1,30}$/;
const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/**
 * The number, or text of digits, that a column holds: whole numbers are refused where they are none or too large,
 * decimals have the digits behind the point that are declared.
 *
 * @param value the number as rows have it
 * @param column gives the type
 * @throws ServiceError 400 for what does not fit
 */
export function numberValue<T extends number | bigint | string>(
  value: T,
  column: FlatElement,
): T | number | string {
  const { builtin = "", precision, scale } = column.type;
  switch (builtin) {
    case "cds.UInt8":
    case "cds.Int16":
    case "cds.Int32":
    case "cds.Integer":
    case "cds.Int64":
    case "cds.Integer64":
      return isWholeOf(value, builtin) ? value : refuseValue(value, column);
    case "cds.Decimal":
      if (!isNumeral(value)) return refuseValue(value, column);
      return precision === undefined || typeof scale !== "number"
        ? value
        : decimalValue(value, { column, precision, scale });
    case "cds.Double":
      return typeof value === "string" ? INFINITE.get(value) ?? doubleOf(value, column) : value;
  }
  return value;
}

/** Floating-point numbers that have no literal of JSON; `NaN` is stored as text, as SQLite would make it null. */
export const INFINITE: ReadonlyMap<string, number> = new Map([["INF", Infinity], ["-INF", -Infinity]]);

function doubleOf(value: string, column: FlatElement): string {
  return value === "NaN" || isNumeral(value) ? value : refuseValue(value, column);
}

/**
 * Whether a value is a number, or the text of one, maybe with exponent.
 *
 * @param value any number or text
 */
export function isNumeral(value: number | bigint | string): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value === "bigint" || DECIMAL.test(plainDecimal(value));
}

/**
 * Whether a value is a whole number of a type, or the text of one.
 *
 * @param value any number or text
 * @param builtin a type of whole numbers
 */
export function isWholeOf(value: number | bigint | string, builtin: string): boolean {
  const range = WHOLE_RANGES[builtin];
  return range ? isBetween(value, range) : isInt64(value);
}

function isBetween(value: number | bigint | string, [least, most]: readonly [number, number]): boolean {
  if (typeof value === "string" && !WHOLE.test(value)) return false;
  const number = Number(value);
  return Number.isInteger(number) && number >= least && number <= most;
}

function isInt64(value: number | bigint | string): boolean {
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < Number(MAX_INT64);
  if (typeof value === "string" && !WHOLE.test(value)) return false;
  const number = BigInt(value);
  return number >= -MAX_INT64 && number < MAX_INT64;
}

interface DecimalColumn {
  readonly column: FlatElement;
  readonly precision: number;
  readonly scale: number;
}

/** A half goes away from zero. */
function decimalValue<T extends number | bigint | string>(
  value: T,
  { column, precision, scale }: DecimalColumn,
): T | number | string {
  const most = 10 ** (precision - scale);
  if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < most) return value;
  const [found, sign, whole, fraction = ""] = DECIMAL.exec(plainDecimal(String(value))) ?? [];
  if (found === undefined) return value;
  const text = fraction.length <= scale ? found : rounded(whole!, fraction, scale);
  const isNegative = sign === "-" && /[1-9]/.test(text); // zero has no sign
  const plain = fraction.length <= scale ? value : `${isNegative ? "-" : ""}${text}`;
  if (text.replace(/^[+-]?0*/, "").split(".")[0]!.length > precision - scale) refuseValue(value, column);
  return typeof value === "number" ? Number(plain) + 0 : plain;
}

function rounded(whole: string, fraction: string, scale: number): string {
  const kept = BigInt(whole + fraction.slice(0, scale)) + (fraction[scale]! >= "5" ? 1n : 0n);
  if (scale === 0) return String(kept);
  const digits = String(kept).padStart(scale + 1, "0");
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
