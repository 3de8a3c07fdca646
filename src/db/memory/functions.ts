/**
 * Functions of the memory database: those that `sqlite_functions.ts` has, on values.
 *
 * @module
 */

import { forTextForms, hasTextForm } from "../../model/values/text_forms.ts";
import { encodeBase64 } from "../../util/bytes.ts";
import {
  decimalAdd,
  decimalMul,
  decimalSub,
  decimalText,
  doubleAdd,
  doubleDiv,
  doubleMul,
  doubleSub,
  remainder,
  roundedWhole,
  scaledTo,
  toDecimal,
} from "../decimals.ts";
import { nonZero, outOfRange } from "../statement_errors.ts";
import { geoDistance, geoIntersects, geoLength, matchesPattern, TIME_BETWEEN } from "../function_values.ts";
import { sqlValue } from "../write/sql_value.ts";
import { divide } from "./operators.ts";
import { compare, narrow, toFlag, toNumber, truth } from "./values.ts";

type ScalarFunction = (...args: readonly unknown[]) => unknown;

/** Null if any argument is null (OData 4.01 Part 2, 5.1.1). */
function strict(run: (...args: readonly unknown[]) => unknown): ScalarFunction {
  return (...args) => args.some((arg) => arg === null || arg === undefined) ? null : run(...args);
}

/** A function of text. */
function text(run: (...args: readonly string[]) => unknown): ScalarFunction {
  return strict((...args) => run(...args.map(String)));
}

/** A function of numbers. */
function numeric(run: (...args: readonly number[]) => unknown): ScalarFunction {
  return strict((...args) => run(...args.map((arg) => Number(toNumber(arg)))));
}

/** A function that leaves whole numbers as they are, also those that a floating-point number does not hold, and `NaN`. */
function rounding(round: (value: number) => number): ScalarFunction {
  return strict((value) => {
    if (value === "NaN") return value;
    const number = toNumber(value);
    return typeof number === "bigint" ? number : round(number);
  });
}

const roundToWhole = rounding(roundedWhole);
const roundToPlaces = strict((value, places) => narrow(scaledTo(toNumber(value), Number(toNumber(places)))));

/** Two digits behind the `T` of a date and time, or of a time. */
function clockPart(offset: number): ScalarFunction {
  return text((value) => Number(toNumber(value.slice(value.indexOf("T") + offset).slice(0, 2))));
}

function datePart(start: number, end: number): ScalarFunction {
  return text((value) => Number(toNumber(value.slice(start, end))));
}

/** Positions count characters, not UTF-16 units; a negative start counts from the end, at most to the beginning. */
function substring(value: unknown, start: unknown, count?: unknown): string {
  const characters = [...String(value)];
  const from = Math.trunc(Number(start) < 0 ? Math.max(characters.length + Number(start), 0) : Number(start));
  const most = count === undefined ? Infinity : Math.max(Math.trunc(Number(count)), 0);
  return characters.slice(from, from + most).join("");
}

function indexOf(value: string, part: string): number {
  const index = value.indexOf(part);
  return index < 0 ? -1 : [...value.slice(0, index)].length;
}

function base64(value: unknown, url: boolean): string {
  const bytes = value instanceof Uint8Array ? value : new TextEncoder().encode(String(value));
  const encoded = encodeBase64(bytes);
  return url ? encoded.replaceAll("+", "-").replaceAll("/", "_") : encoded;
}

function jsonObject(...args: readonly unknown[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (let index = 0; index < args.length; index += 2) result[String(args[index])] = args[index + 1];
  return result;
}

/** The part of a JSON value that names and positions lead to. */
function partOf(value: unknown, names: readonly unknown[]): unknown {
  let part: unknown = names.length === 0 ? value : fromJson(value);
  for (const name of names) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, String(name))) return null;
    part = (part as Readonly<Record<string, unknown>>)[String(name)];
  }
  return part;
}

/** JSON text as value; what is one already stays. */
export function fromJson(value: unknown): unknown {
  return typeof value === "string" ? JSON.parse(value) : value;
}

/** An instant some seconds later; none outside of the years from 1 to 9999. */
function shifted(value: unknown, seconds: unknown): string | undefined {
  const time = new Date(Date.parse(String(value)) + Math.round(Number(toNumber(seconds)) * 1000));
  const text = Number.isNaN(time.getTime()) ? "" : time.toISOString();
  return text.length === 24 && !text.startsWith("0000") ? text : undefined;
}

function fitting(value: unknown, fits: boolean): unknown {
  if (!fits) throw outOfRange();
  return value;
}

const fittingBetween = strict((value, below, above) =>
  fitting(value, compare(value, below) > 0 && compare(value, above) < 0)
);

/** Functions by lower-case name. */
export const FUNCTIONS: Readonly<Record<string, ScalarFunction>> = {
  contains: text((value, part) => toFlag(value.includes(part))),
  startswith: text((value, part) => toFlag(value.startsWith(part))),
  endswith: text((value, part) => toFlag(value.endsWith(part))),
  matchespattern: matchesPattern as ScalarFunction,
  indexof: text(indexOf),
  length: strict((value) => value instanceof Uint8Array ? value.length : [...String(value)].length),
  substring: strict(substring),
  tolower: text((value) => value.toLowerCase()),
  toupper: text((value) => value.toUpperCase()),
  lower: text((value) => value.toLowerCase()),
  upper: text((value) => value.toUpperCase()),
  trim: text((value, set) => trimmed(value, { set, sides: "both" })),
  ltrim: text((value, set) => trimmed(value, { set, sides: "left" })),
  rtrim: text((value, set) => trimmed(value, { set, sides: "right" })),
  replace: text((value, part, other) => part === "" ? value : value.replaceAll(part, () => other)),
  $text_length: (value) => value === null ? 0 : String(value).length,
  concat: text((...parts) => parts.join("")),
  year: datePart(0, 4),
  month: datePart(5, 7),
  day: datePart(8, 10),
  hour: clockPart(1),
  minute: clockPart(4),
  second: clockPart(7),
  fractionalseconds: text((value) => {
    const point = value.indexOf(".");
    return point < 0 ? 0 : Number(`0.${value.slice(point + 1).replace(/Z+$/, "")}`);
  }),
  date: text((value) => value.slice(0, 10)),
  time: text((value) => value.slice(11, 19)),
  ...Object.fromEntries(
    Object.entries(TIME_BETWEEN).map(([name, between]) => [
      name,
      strict((from, to) => narrow(between(from, to))),
    ]),
  ),
  totaloffsetminutes: strict(() => 0),
  current_date: () => new Date().toISOString().slice(0, 10),
  current_time: () => new Date().toISOString().slice(11, 19),
  current_timestamp: () => new Date().toISOString(),
  mindatetime: () => "0001-01-01T00:00:00.000Z",
  maxdatetime: () => "9999-12-31T23:59:59.999Z",
  $shift_date: strict((value, seconds) => shifted(value, seconds)?.slice(0, 10) ?? null),
  $shift_datetime: strict((value, seconds) => shifted(value, seconds)?.replace(/\.\d+/, "") ?? null),
  $shift_timestamp: strict((value, seconds) => shifted(value, seconds) ?? null),
  $seconds_between: strict((one, other) => (Date.parse(String(one)) - Date.parse(String(other))) / 1000),
  round: (...args) => (args.length === 1 ? roundToWhole : roundToPlaces)(...args),
  floor: rounding(Math.floor),
  ceiling: rounding(Math.ceil),
  abs: strict((value) => {
    const number = toNumber(value);
    return number < 0 ? -number : number;
  }),
  sign: strict((value) => {
    const number = toNumber(value);
    return number > 0 ? 1 : number < 0 ? -1 : 0;
  }),
  mod: strict((dividend, divisor) => {
    const rest = remainder(toNumber(dividend), toNumber(divisor));
    return rest === null ? null : narrow(rest);
  }),
  $decimal: strict(toDecimal),
  $exact: strict((value) => value),
  $decimal_add: numeric(decimalAdd),
  $decimal_sub: numeric(decimalSub),
  $decimal_mul: numeric(decimalMul),
  $decimal_text: strict(decimalText),
  $integer_text: strict(String),
  $scaled: strict((value, digits) => scaledTo(value, Number(digits))),
  $timestamp_text: (value) => value,
  $datetime_text: (value) => value,
  $plain_text: (value) => value,
  $timestamp_of_datetime: text((value) => value.replace("Z", ".000Z")),
  $timestamp_of_date: text((value) => `${value}T00:00:00.000Z`),
  $datetime_of_timestamp: text((value) => `${value.slice(0, 19)}Z`),
  $datetime_of_date: text((value) => `${value}T00:00:00Z`),
  ...forTextForms((type) => text((value) => hasTextForm(value, type) ? value : null)),
  $flag_number: (value) => value,
  $boolean_text: strict((value) => String(truth(value))),
  $fits_whole: fittingBetween,
  $fits_decimal: fittingBetween,
  $fits_text: strict((value, length) => fitting(value, [...String(value)].length <= Number(length))),
  $trunc: strict((value) => typeof value === "bigint" ? value : Math.trunc(Number(toNumber(value)))),
  $whole: numeric((value, below, above) => value > below && value < above ? Math.trunc(value) : null),
  div: strict((left, right) => {
    const result = divide(left, right);
    return typeof result === "number" ? Math.trunc(result) + 0 : result;
  }),
  divby: numeric((left, right) => right === 0 ? null : left / right),
  $div: strict((left, right) => {
    const result = divide(left, nonZero(toNumber(right)))!; // the divisor is not zero
    return typeof result === "number" ? Math.trunc(result) + 0 : result;
  }),
  $divby: numeric((left, right) => left / nonZero(right)),
  $mod: strict((dividend, divisor) => narrow(remainder(toNumber(dividend), nonZero(toNumber(divisor)))!)),
  $double_add: strict(doubleAdd as ScalarFunction),
  $double_sub: strict(doubleSub as ScalarFunction),
  $double_mul: strict(doubleMul as ScalarFunction),
  $double_div: strict(doubleDiv as ScalarFunction),
  coalesce: (...args) => args.find((arg) => arg !== null) ?? null,
  ifnull: (value, other) => value ?? other,
  nullif: (left, right) => left === null || right === null || compare(left, right) !== 0 ? left : null,
  min: strict((...args) => args.reduce((a, b) => compare(a, b) <= 0 ? a : b)),
  max: strict((...args) => args.reduce((a, b) => compare(a, b) >= 0 ? a : b)),
  $json_object: jsonObject,
  $json_list: (...values) => values,
  $json: strict(fromJson),
  $json_boolean: truth,
  $json_double: strict((value) => value === Infinity ? "INF" : value === -Infinity ? "-INF" : value),
  $json_value: safeInteger,
  $json_literal: (value) => value,
  $json_base64: strict((value) => base64(value, false)),
  $json_base64url: strict((value) => base64(value, true)),
  $json_safe_integer: safeInteger,
  $json_datetime: (value) => value,
  $json_timestamp: (value) => value,
  $safe_double: (value) => value,
  $safe_integer: (value) => value, // reads of rows see to all integers
  // What is not there holds no term, so that its negation holds.
  $found: (value, term) =>
    toFlag(value !== null && String(value).toLowerCase().includes(String(term).toLowerCase())),
  $index: (key) => key,
  "geo.distance": strict(geoDistance),
  "geo.length": strict(geoLength),
  "geo.intersects": strict((point, polygon) => {
    const isInside = geoIntersects(point, polygon);
    return isInside === null ? null : toFlag(isInside);
  }),
  $by_code_points: (value) => value,
  $member: (value, ...names) => {
    const part = partOf(value, names);
    return typeof part === "object" ? null : sqlValue(part);
  },
  $nested: (value, ...names) => {
    const part = partOf(fromJson(value), names);
    return part === null ? null : JSON.stringify(part);
  },
  $entry_name: (value) => value === null ? "-" : `=${value}`,
  $size: (array) => {
    const value = fromJson(array);
    return Array.isArray(value) ? value.length : 0;
  },
};

/** A text without the characters of a set at its ends; default: without spaces. */
function trimmed(
  value: string,
  { set = " ", sides }: { readonly set: string | undefined; readonly sides: "left" | "right" | "both" },
): string {
  const [characters, removed] = [[...value], new Set(set)];
  let [start, end] = [0, characters.length];
  while (sides !== "right" && start < end && removed.has(characters[start]!)) start++;
  while (sides !== "left" && end > start && removed.has(characters[end - 1]!)) end--;
  return characters.slice(start, end).join("");
}

/** Integers that a number cannot hold become text. */
function safeInteger(value: unknown): unknown {
  const number = narrow(value as number);
  return typeof number === "bigint" ? String(number) : number;
}
