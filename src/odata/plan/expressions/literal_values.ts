/**
 * Literals → values of the type they meet: keys, the other side of a comparison, parameters.
 *
 * @module
 */

import type { ServiceError } from "../../../errors/service_error.ts";
import type { LinkedElement } from "../../../model/linked.ts";
import { durationSeconds, singleValue, WHOLE_RANGES } from "../../../model/values/text_forms.ts";
import { INTEGER_TYPES } from "../../../model/builtin_types.ts";
import { enumNumber, type ExtendedType } from "../../../model/values/extended_type.ts";
import { isKnownInstant, isRealDay } from "../../../util/is_real_day.ts";
import type { LiteralType, PrimitiveLiteral } from "../../url/ast.ts";
import { numberValue } from "../../url/literals.ts";
import { badRequest } from "../plan_error.ts";

/** A built-in type (`cds.Integer`), with the element that has it if there is one. */
export interface ValueType {
  readonly builtin: string;
  /** Of a value that is no element. */
  readonly extended?: ExtendedType;
  readonly element?: LinkedElement;
  /** A decimal of 15 digits at most, which stands for one with more. */
  readonly rounded?: true;
  /** Why a value cannot be used, in words; undefined where it can. */
  readonly refuses?: (value: LiteralScalar) => string | undefined;
}

/** A value of a parameter. */
export type LiteralScalar = string | number | bigint | boolean | Uint8Array | null;

/** A GUID: 8-4-4-4-12 hexadecimal digits, in existing data without hyphens as well. */
const GUID = /^(?:[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{32})$/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const DATE = /^-?\d{4,}-\d\d-\d\d$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,12})?)?$/;
const DATE_TIME = /^(-?\d{4,}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)(\.\d{1,12})?(Z|[+-]\d\d:\d\d)$/i;

/** Gives the value of a literal. */
export type Conversion = (literal: PrimitiveLiteral) => LiteralScalar;

/**
 * Converts a literal to a type.
 *
 * @param literal the literal
 * @param type the type of the other side; undefined if nothing is known of it
 * @returns the value
 * @throws {ServiceError} 400 if it is none of the type
 */
export function convertLiteral(literal: PrimitiveLiteral, type: ValueType | undefined): LiteralScalar {
  return conversionTo(type)(literal);
}

/**
 * The conversion of literals to a type, for those who convert many.
 *
 * @param type the type of the other side; undefined if nothing is known of it
 * @returns gives the value, throws a 400 for a literal that is none of the type
 */
export function conversionTo(type: ValueType | undefined): Conversion {
  if (type === undefined) return untyped;
  const { builtin, refuses } = type;
  const read = readerOf(type);
  return (literal) => {
    if (literal.value === null) return null;
    const value = isTooLarge(literal) ? undefined : read(literal);
    if (value === undefined) throw mismatch(literal, builtin);
    const reason = refuses?.(value);
    if (reason !== undefined) throw badRequest(reason, literal.offset);
    return value;
  };
}

/** The error for a literal that is no value of a type. */
function mismatch(literal: PrimitiveLiteral, builtin: string): ServiceError {
  return badRequest(`${literal.text} is not a value of type ${builtin.replace("cds.", "")}`, literal.offset);
}

/** Whether a number is larger than all that engines calculate with, which are those of floating point. */
function isTooLarge({ type, value, text }: PrimitiveLiteral): boolean {
  if (type !== "Edm.Double" && type !== "Edm.Decimal" && type !== "Edm.Int64") return false;
  return Math.abs(Number(value)) === Infinity && !text.endsWith("INF");
}

function untyped(literal: PrimitiveLiteral): LiteralScalar {
  if (literal.value === null) return null;
  if (isTooLarge(literal)) throw mismatch(literal, "cds.Double");
  switch (literal.type) {
    case "Edm.DateTimeOffset":
      return timestamp(String(literal.value), true) ?? literal.value;
    case "Edm.Binary":
      return base64(String(literal.value)) ?? literal.value;
    case "Edm.Int64":
      return wholeNumber(literal.value) ?? fail(literal);
    default:
      return literal.value;
  }
}

function fail(literal: PrimitiveLiteral): never {
  throw mismatch(literal, "cds.Int64");
}

/** Gives the value of a literal; undefined if it is none of a type. */
type Reader = (literal: PrimitiveLiteral) => LiteralScalar | undefined;

function readerOf(type: ValueType): Reader {
  const { builtin, element } = type;
  const extended = type.extended ?? element?.$type.extended;
  if (extended) return (literal) => extendedValue(literal, { builtin, extended, element });
  const read = builtinReader(builtin);
  return (literal) => {
    if (literal.type !== "Edm.Enum") return read(literal);
    const value = symbolValue(String(literal.value), element);
    return value === undefined ? undefined : read({ ...literal, value });
  };
}

/**
 * Literals have the type of their form, which is never that of a text (Part 2, section 5.1.1): `1` is no name. Quoted
 * ones may stand for values of any type.
 */
function builtinReader(builtin: string): Reader {
  const ofText = TEXT_READERS[builtin];
  if (ofText !== undefined) {
    const { types, read } = ofText;
    const fine = builtin in FRACTIONS ? { builtin } : undefined;
    return (literal) => {
      if (!isOf(literal, types)) return undefined;
      // nothing tells a condition that the text of a quoted literal is finer
      const isRefused = fine !== undefined && literal.type === "Edm.String" && isFiner(literal, fine);
      return isRefused ? undefined : read(String(literal.value));
    };
  }
  if (builtin === "cds.Boolean") {
    return (literal) => isOf(literal, TRUTHS) ? booleanOf(literal.value) : undefined;
  }
  if (builtin.startsWith("cds.hana.")) return ({ value }) => value;
  const numberOf = numberReader(builtin);
  return (literal) => isOf(literal, NUMBERS) ? numberOf(literal.value) : undefined;
}

/** Digits of fractions of seconds. */
const FRACTIONS: Readonly<Record<string, number>> = { "cds.Time": 0, "cds.DateTime": 0, "cds.Timestamp": 3 };

/**
 * Whether a time has finer fractions of seconds than the values of a type: it is none of them, but lies between two.
 *
 * @param literal the literal
 * @param type the type
 */
export function isFiner({ value }: PrimitiveLiteral, type: ValueType | undefined): boolean {
  const digits = FRACTIONS[type?.builtin ?? ""];
  if (digits === undefined) return false;
  const [, fraction = ""] = /\.(\d+)/.exec(String(value)) ?? [];
  return /[1-9]/.test(fraction.slice(digits));
}

/** Quoted literals, those of enumerations, whose values have taken the place of their names, and those of types. */
function isOf({ type }: PrimitiveLiteral, types: readonly LiteralType[]): boolean {
  return type === "Edm.String" || type === "Edm.Enum" || types.includes(type);
}

const NUMBERS: readonly LiteralType[] = ["Edm.Int64", "Edm.Decimal", "Edm.Double"];
const TRUTHS: readonly LiteralType[] = ["Edm.Boolean", ...NUMBERS];
const INSTANTS: readonly LiteralType[] = ["Edm.Date", "Edm.DateTimeOffset"];

/** Values that are found by the text of quoted literals and of those of some types. */
interface TextReader {
  readonly types: readonly LiteralType[];
  readonly read: (text: string) => LiteralScalar | undefined;
}

function ofTypes(types: readonly LiteralType[], read: TextReader["read"]): TextReader {
  return { types, read };
}

const TEXT_READERS: Readonly<Record<string, TextReader>> = {
  "cds.UUID": ofTypes(["Edm.Guid"], (text) => GUID.test(text) ? text : undefined),
  "cds.Date": ofTypes(INSTANTS, dateOf),
  "cds.Time": ofTypes(["Edm.TimeOfDay"], timeOf),
  "cds.DateTime": ofTypes(INSTANTS, (text) => timestamp(text, false)),
  "cds.Timestamp": ofTypes(INSTANTS, (text) => timestamp(text, true)),
  "cds.Binary": ofTypes(["Edm.Binary"], base64),
  "cds.LargeBinary": ofTypes(["Edm.Binary"], base64),
  "cds.String": ofTypes([], (text) => text),
  "cds.LargeString": ofTypes([], (text) => text),
};

/** Values of types that CDS lacks; a prefix with their name may be missing (Protocol 4.01, 13.2.1, 9b). */
function extendedValue(
  literal: PrimitiveLiteral,
  { builtin, extended, element }: ValueType,
): LiteralScalar | undefined {
  const { value } = literal;
  switch (extended) {
    case "Edm.Duration":
      return literal.type === "Edm.Duration" || literal.type === "Edm.String"
        ? durationSeconds(String(value))
        : undefined;
    case "Edm.Single": {
      const number = isOf(literal, NUMBERS) ? numberReader(builtin)(value) : undefined;
      return number === undefined ? undefined : singleValue(Number(number));
    }
    case "enum":
    case "flags":
      if (!NAMES.has(literal.type)) return undefined;
      return enumNumber(String(value), { members: element?.$type.enum ?? {}, flags: extended === "flags" });
    case "Edm.Geo":
      return undefined;
    default:
      return isOf(literal, NUMBERS) ? numberReader(builtin)(value) : undefined;
  }
}

/** How a value of an enumeration may be written. */
const NAMES: ReadonlySet<string> = new Set(["Edm.Enum", "Edm.String", "Edm.Int64"]);

/** The value of an enum member. */
function symbolValue(
  symbol: string,
  element: LinkedElement | undefined,
): string | number | boolean | undefined {
  const members = element?.$type.enum;
  if (members === undefined) return undefined;
  if (Object.hasOwn(members, symbol)) return members[symbol].val ?? symbol;
  return /^[+-]?\d+$/.test(symbol) ? Number(symbol) : undefined;
}

function booleanOf(value: LiteralScalar): boolean | undefined {
  if (value === true || value === 1 || value === "true") return true;
  if (value === false || value === 0 || value === "false") return false;
  return undefined;
}

/** Reads numbers by value: an integer type accepts `4.0`, and `4.5` for comparison only. */
function numberReader(builtin: string): (value: LiteralScalar) => LiteralScalar | undefined {
  const isInteger = INTEGER_TYPES.has(builtin);
  const isDouble = builtin === "cds.Double";
  return (value) => {
    const number = typeof value === "string"
      ? (NUMBER.test(value) ? numberValue(value).value : undefined)
      : value;
    if (typeof number === "boolean" || number === undefined || number === null) return undefined;
    if (typeof value === "string" && !isFinite(Number(number))) return undefined;
    // a floating-point number has the digits that it has
    if (isDouble) return Number(number);
    if (!isInteger) return typeof number === "bigint" ? number.toString() : number;
    return typeof number === "string" || (typeof number === "number" && !Number.isInteger(number))
      ? number
      : wholeNumber(number);
  };
}

/** A whole number of 64 bits at most; bigint where a number would not be exact. */
function wholeNumber(value: unknown): number | bigint | undefined {
  if (Number.isSafeInteger(value)) return value as number;
  if (typeof value !== "bigint" && !Number.isInteger(value)) return undefined;
  const whole = BigInt(value as number | bigint);
  if (whole !== BigInt.asIntN(64, whole)) return undefined;
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
}

/**
 * A value as rows have it: text where a number would not be exact.
 *
 * @param value the value of a literal
 */
export function rowValue(value: LiteralScalar): Exclude<LiteralScalar, bigint> {
  return typeof value === "bigint" ? value.toString() : value;
}

/**
 * Whether a converted value also lies in the range of its type, as keys and parameters must.
 *
 * @param value the value
 * @param builtin the type
 * @returns false for fractions and for integers that are too great
 */
export function fitsType(value: LiteralScalar, builtin: string): boolean {
  if (value === null || !INTEGER_TYPES.has(builtin)) return true;
  const whole = wholeNumber(value);
  const [least, most] = WHOLE_RANGES[builtin] ?? [-Infinity, Infinity];
  return whole !== undefined && whole >= least && whole <= most;
}

function dateOf(text: string): string | undefined {
  if (DATE.test(text)) return isRealDay(text) ? text : undefined;
  const [, date, time, fraction, zone] = DATE_TIME.exec(text) ?? [];
  // Only midnight UTC is a date.
  const isMidnight = date !== undefined && zone.toUpperCase() === "Z" && /^[0:]+$/.test(time);
  return isMidnight && fraction === undefined && isRealDay(date) ? date : undefined;
}

function timeOf(text: string): string | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  return `${match[1]}:${match[2]}:${match[3] ?? "00"}`;
}

/** UTC with `Z`; with three digits of fraction or none. A date is midnight. */
function timestamp(text: string, fraction: boolean): string | undefined {
  if (DATE.test(text)) return isRealDay(text) ? `${text}T00:00:00${fraction ? ".000" : ""}Z` : undefined;
  const match = DATE_TIME.exec(text);
  if (match === null || !isRealDay(match[1])) return undefined;
  const [, date, time, digits = "", zone] = match;
  const seconds = time.length === 5 ? `${time}:00` : time.replace(/:60$/, ":59");
  const utc = new Date(`${date}T${seconds}${digits.slice(0, 4)}${zone.toUpperCase()}`);
  if (!isKnownInstant(utc)) return undefined;
  const iso = utc.toISOString();
  return fraction ? iso : `${iso.slice(0, -5)}Z`;
}

function base64(text: string): Uint8Array | undefined {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
