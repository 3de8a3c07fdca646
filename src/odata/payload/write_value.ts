/**
 * Primitive values as JSON text and as raw text (JSON Format 7.1, ABNF `primitiveValue`).
 *
 * @module
 */

import type { ResolvedType } from "../../model/linked.ts";
import { durationText } from "../../model/values/text_forms.ts";
import { enumText } from "../../model/values/extended_type.ts";
import { encodeBase64, heldBytes } from "../../util/bytes.ts";
import { plainDecimal } from "../../util/plain_decimal.ts";
import { ExactNumber } from "./parse_json.ts";

/** How values are written. */
export interface ValueFormat {
  /** Int64 and Decimal as text. */
  readonly ieee754: boolean;
}

const EXACT_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * A primitive value as JSON text.
 *
 * @param value a value of a row
 * @param type type of the element
 * @param format whether Int64 and Decimal are text
 */
export function writePrimitive(value: unknown, type: ResolvedType, format: ValueFormat): string {
  if (value === null || value === undefined) return "null";
  const extended = type.extended && extendedText(value, type);
  if (extended !== undefined) return JSON.stringify(extended);
  switch (type.builtin) {
    case "cds.Int64":
    case "cds.Integer64":
      return writeNumber(String(value), format);
    case "cds.Decimal":
    case "cds.DecimalFloat":
      return writeDecimal(value, type, format);
    case "cds.Double":
      return writeDouble(value);
    case "cds.Date":
    case "cds.Time":
    case "cds.DateTime":
    case "cds.Timestamp":
      return value instanceof Date ? JSON.stringify(writeDate(value, type.builtin)) : stringify(value);
    case "cds.Binary":
    case "cds.LargeBinary":
      return JSON.stringify(toBase64Url(value));
    default:
      return stringify(value);
  }
}

/**
 * A primitive value as the raw text of `/$value`.
 *
 * @param value a value that is not null
 * @param type type of the element
 */
export function writeRawValue(value: unknown, type: ResolvedType): string {
  const extended = extendedText(value, type);
  if (extended !== undefined) return extended;
  if (typeof value === "string" && !isBinary(type)) return value;
  const json = writePrimitive(value, type, { ieee754: false });
  return json.startsWith('"') ? JSON.parse(json) : json;
}

/** The text of a duration or of a value of an enumeration; undefined for other types. */
function extendedText(value: unknown, { extended, enum: members = {} }: ResolvedType): string | undefined {
  switch (extended) {
    case "Edm.Duration":
      return durationText(value);
    case "enum":
    case "flags":
      return enumText(value, { members, flags: extended === "flags" });
    default:
      return undefined;
  }
}

/** JSON text of any value, big integers with all digits. */
export function stringify(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return String(value);
    case "object":
      return stringifyObject(value);
    default:
      return "null";
  }
}

function stringifyObject(value: object | null): string {
  if (value === null) return "null";
  if (heldBytes(value)) return JSON.stringify(toBase64Url(value));
  if (value instanceof ExactNumber) return value.text;
  if ("toJSON" in value && typeof value.toJSON === "function") return stringify(value.toJSON());
  if (Array.isArray(value)) return `[${value.map(stringify).join(",")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${stringify(member)}`).join(",")}}`;
}

function isBinary(type: ResolvedType): boolean {
  return type.builtin === "cds.Binary" || type.builtin === "cds.LargeBinary";
}

function writeNumber(text: string, format: ValueFormat): string {
  return format.ieee754 || !EXACT_NUMBER.test(text) ? JSON.stringify(text) : text;
}

function writeDecimal(value: unknown, type: ResolvedType, format: ValueFormat): string {
  const text = plainDecimal(String(value));
  if (!format.ieee754) return writeNumber(text, format);
  return JSON.stringify(typeof type.scale === "number" ? padToScale(text, type.scale) : text);
}

function padToScale(text: string, scale: number): string {
  if (scale === 0 || !/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const [whole, fraction = ""] = text.split(".");
  return `${whole}.${fraction.padEnd(scale, "0")}`;
}

/** A floating-point number, or what is calculated of them, as JSON text: infinite ones are texts. */
export function writeDouble(value: unknown): string {
  if (typeof value !== "number") return stringify(value);
  if (Number.isNaN(value)) return '"NaN"';
  if (value === Infinity) return '"INF"';
  return value === -Infinity ? '"-INF"' : String(value);
}

/** A date or time as text of a type; null for one that is invalid. */
export function writeDate(value: Date, type: string | undefined): string | null {
  if (Number.isNaN(value.getTime())) return null;
  const text = value.toISOString();
  if (type === "cds.Date") return text.slice(0, 10);
  if (type === "cds.Time") return text.slice(11, 19);
  return type === "cds.DateTime" ? `${text.slice(0, 19)}Z` : text;
}

/** Binary data as base64url with padding, from bytes or from base64 text of either alphabet. */
export function toBase64Url(value: unknown): unknown {
  if (typeof value === "string") {
    const text = value.replaceAll("+", "-").replaceAll("/", "_");
    return text.padEnd(Math.ceil(text.length / 4) * 4, "=");
  }
  const bytes = heldBytes(value);
  if (bytes === undefined) return value;
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_");
}

/** A JSON object of members as text, of which empty ones are left out. */
export function jsonObject(members: readonly string[]): string {
  return `{${members.filter((member) => member !== "").join(",")}}`;
}
