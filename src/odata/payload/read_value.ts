/**
 * Primitive values of bodies, checked and brought into the form of rows (behaviour of each type: JSON Format 7.1).
 *
 * @module
 */

import type { ResolvedType } from "../../model/linked.ts";
import { durationSeconds, singleValue, WHOLE_RANGES } from "../../model/values/text_forms.ts";
import { enumNumber } from "../../model/values/extended_type.ts";
import { decodeBase64 } from "../../util/bytes.ts";
import { isKnownInstant, isRealDay } from "../../util/is_real_day.ts";
import { ExactNumber, type JsonValue } from "./parse_json.ts";
import { isJsonObject } from "./reading.ts";

/** The outcome of reading a value: `undefined` when it is not of the type. */
export type ReadValue = string | number | boolean | Uint8Array | object | undefined;

/** Digits of a Decimal without declared precision; an exponent could ask for any number of them. */
const DECIMAL_DIGITS = 128;

/**
 * Reads a value that is not null.
 *
 * @param value a value of parsed JSON
 * @param type type of the element
 * @param defaultStringLength characters of a string without declared length
 * @returns the value in the form of rows, or undefined when it is not of the type
 */
export function readPrimitive(value: unknown, type: ResolvedType, defaultStringLength: number): ReadValue {
  if (type.extended) return readExtended(value, type);
  switch (type.builtin) {
    case "cds.Boolean":
      return typeof value === "boolean" ? value : undefined;
    case "cds.UInt8":
    case "cds.Int16":
    case "cds.Int32":
    case "cds.Integer":
      return readInteger(value, WHOLE_RANGES[type.builtin]!);
    case "cds.Int64":
    case "cds.Integer64":
      return readInt64(value);
    case "cds.Decimal":
    case "cds.DecimalFloat":
      return readDecimal(value, type);
    case "cds.Double":
      return readDouble(value);
    case "cds.Binary":
    case "cds.LargeBinary":
      return readBinary(value, type.length);
    case "cds.LargeString":
      return typeof value === "string" ? value : undefined;
    case "cds.String":
      return readString(value, type.length ?? defaultStringLength);
    case "cds.Map":
      return isJsonObject(value as JsonValue)
        ? withoutExact(value, (number) => number.text) as object
        : undefined;
    default:
      return typeof value === "string" ? readTyped(value, type.builtin) : otherValue(value, type.builtin);
  }
}

/** Types of OData that CDS lacks. */
function readExtended(value: unknown, type: ResolvedType): ReadValue {
  const { extended } = type;
  switch (extended) {
    case "Edm.SByte":
      return readInteger(value, [-128, 127]);
    case "Edm.Single": {
      const number = readDouble(value);
      return number === undefined ? undefined : singleValue(number);
    }
    case "Edm.Duration": {
      const seconds = typeof value === "string" ? durationSeconds(value) : undefined;
      return seconds === undefined ? undefined : readDecimal(seconds, type);
    }
    case "Edm.Geo":
      return isGeoJson(value) ? withoutExact(value, (number) => Number(number.text)) as object : undefined;
    case "enum":
    case "flags": {
      if (typeof value !== "string" && typeof value !== "number") return undefined;
      return enumNumber(String(value), { members: type.enum ?? {}, flags: extended === "flags" });
    }
    default:
      return extended satisfies undefined;
  }
}

/** JSON without a type of its own: numbers that are not exact as such take another form. */
function withoutExact(value: unknown, form: (number: ExactNumber) => string | number): unknown {
  if (value instanceof ExactNumber) return form(value);
  if (Array.isArray(value)) return value.map((member) => withoutExact(member, form));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, withoutExact(member, form)]);
  return Object.fromEntries(entries);
}

/** Values of geography and geometry are opaque, but for their form (RFC 7946 3.1). */
function isGeoJson(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { type, coordinates, geometries } = value as Readonly<Record<string, unknown>>;
  if (type === "GeometryCollection") return Array.isArray(geometries) && geometries.every(isGeoJson);
  return typeof type === "string" && GEO_SHAPES.has(type) && Array.isArray(coordinates);
}

const GEO_SHAPES = new Set([
  "Point",
  "LineString",
  "Polygon",
  "MultiPoint",
  "MultiLineString",
  "MultiPolygon",
]);

/** Types written as text with a form of their own. */
function readTyped(text: string, builtin: string | undefined): ReadValue {
  switch (builtin) {
    case "cds.UUID":
      return /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/i.test(text) ? text : undefined;
    case "cds.Date":
      return /^\d{4}-\d{2}-\d{2}$/.test(text) && isRealDay(text) ? text : undefined;
    case "cds.Time":
      return readTime(text);
    case "cds.DateTime":
    case "cds.Timestamp":
      return readDateTime(text, builtin === "cds.Timestamp");
    default:
      return text;
  }
}

const TEXT_TYPES = new Set(["cds.UUID", "cds.Date", "cds.Time", "cds.DateTime", "cds.Timestamp"]);

function otherValue(value: unknown, builtin: string | undefined): ReadValue {
  if (TEXT_TYPES.has(builtin ?? "")) return undefined;
  return value instanceof ExactNumber ? value.text : value as ReadValue; // a type without rules: as it came
}

function readInteger(value: unknown, [least, most]: readonly [number, number]): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most
    ? value
    : undefined;
}

function readInt64(value: unknown): number | string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
  const text = value instanceof ExactNumber ? value.text : value;
  if (typeof text !== "string" || !/^-?\d{1,19}$/.test(text)) return undefined;
  const exact = BigInt(text);
  if (exact !== BigInt.asIntN(64, exact)) return undefined;
  const number = Number(exact);
  return Number.isSafeInteger(number) ? number : String(exact);
}

function readDecimal(value: unknown, type: ResolvedType): number | string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return undefined;
  const text = typeof value === "number" || value instanceof ExactNumber ? String(value) : value;
  if (typeof text !== "string") return undefined;
  const match = /^([+-]?)0*(\d*)(?:\.(\d*?)0*)?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
  if (!match || !/\d/.test(text.replace(/[eE].*/, ""))) return undefined;
  const [whole, fraction] = shiftPoint(match[2]!, match[3] ?? "", Number(match[4] ?? 0));
  if (whole.length + fraction.length > DECIMAL_DIGITS || !hasRoom(whole, fraction, type)) return undefined;
  const plain = `${match[1] === "-" && whole + fraction !== "" ? "-" : ""}${whole || "0"}${
    fraction ? `.${fraction}` : ""
  }`;
  const digits = (whole + fraction).replace(/^0+/, "").length;
  return digits <= 15 ? Number(plain) : plain;
}

/** Digits before and after the point once the exponent is applied, without zeros at the ends. */
function shiftPoint(whole: string, fraction: string, exponent: number): [string, string] {
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const padded = point < 0 ? "0".repeat(-point) + digits : digits.padEnd(point, "0");
  const at = Math.max(point, 0);
  return [padded.slice(0, at).replace(/^0+/, ""), padded.slice(at).replace(/0+$/, "")];
}

function hasRoom(whole: string, fraction: string, type: ResolvedType): boolean {
  const { precision, scale } = type;
  if (precision === undefined) return typeof scale !== "number" || fraction.length <= scale;
  if (typeof scale === "number") return fraction.length <= scale && whole.length <= precision - scale;
  if (scale === undefined) return fraction === "" && whole.length <= precision;
  return (whole + fraction).replace(/^0+/, "").length <= precision;
}

function readDouble(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (value instanceof ExactNumber) {
    const number = Number(value.text);
    return Number.isFinite(number) ? number : undefined;
  }
  if (value === "INF") return Infinity;
  if (value === "-INF") return -Infinity;
  return value === "NaN" ? NaN : undefined;
}

function readString(value: unknown, length: number): string | undefined {
  if (typeof value !== "string") return undefined;
  if (value.length <= length) return value;
  // characters beyond the basic plane count once
  return value.length <= 2 * length && [...value].length <= length ? value : undefined;
}

function readBinary(value: unknown, length: number | undefined): Uint8Array | undefined {
  if (typeof value !== "string") return undefined;
  const bytes = fromBase64(value);
  return bytes && (length === undefined || bytes.length <= length) ? bytes : undefined;
}

/** Bytes of base64 text in either alphabet, padding optional; undefined when it is no base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  const plain = text.replace(/={1,2}$/, "").replaceAll("-", "+").replaceAll("_", "/");
  if (!/^[A-Za-z0-9+/]*$/.test(plain) || plain.length % 4 === 1) return undefined;
  return decodeBase64(plain);
}

/** A time of day has no fractions of seconds. */
function readTime(text: string): string | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.0{1,12})?)?$/.exec(text);
  return match ? `${match[1]}:${match[2]}:${match[3] ?? "00"}` : undefined;
}

function readDateTime(text: string, milliseconds: boolean): string | undefined {
  const pattern =
    /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d{1,12}))?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/i;
  const match = pattern.exec(text);
  if (!match || !isRealDay(match[1]!)) return undefined;
  const [, day, minutes, seconds = "00", fraction = "", zone = "Z"] = match;
  const time = new Date(
    `${day}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, "0")}${zone.toUpperCase()}`,
  );
  if (!isKnownInstant(time)) return undefined;
  const utc = time.toISOString();
  return milliseconds ? utc : `${utc.slice(0, 19)}Z`;
}
