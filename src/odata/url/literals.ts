/**
 * Literal tokens → values (ABNF, section 7).
 *
 * @module
 */

import type { IToken } from "chevrotain";
import type { LiteralType, PrimitiveLiteral } from "./ast.ts";
import * as T from "./tokens.ts";

const TYPES: ReadonlyMap<unknown, LiteralType> = new Map<unknown, LiteralType>([
  [T.Guid, "Edm.Guid"],
  [T.DateTimeOffset, "Edm.DateTimeOffset"],
  [T.DateLiteral, "Edm.Date"],
  [T.TimeOfDay, "Edm.TimeOfDay"],
]);

const DURATION = /^-?P(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/;
const BASE64URL =
  /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048]=?|[A-Za-z0-9_-][AQgw](?:==)?)?$/;
const ENUM_VALUE = /^(?:[A-Za-z_]\w*|[+-]?\d{1,19})(?:,(?:[A-Za-z_]\w*|[+-]?\d{1,19}))*$/;

/** The parts of a literal that do not depend on its place. */
export type LiteralValue = Pick<PrimitiveLiteral, "type" | "value" | "typeName">;

/**
 * The value of a literal token.
 *
 * @param token a token of category `Literal`
 * @returns type and value, or undefined for a prefixed literal whose text is malformed
 */
export function literalValue(token: IToken): LiteralValue | undefined {
  const { image, tokenType } = token;
  switch (tokenType) {
    case T.NumberLiteral:
      return numberValue(image);
    case T.StringLiteral:
      return { type: "Edm.String", value: unquote(image, 0) };
    case T.WordLiteral:
      return wordValue(image);
    case T.NegativeInfinity:
      return { type: "Edm.Double", value: -Infinity };
    case T.PrefixedLiteral:
      return prefixedValue(image);
    default:
      return { type: TYPES.get(tokenType)!, value: image };
  }
}

/** Text between the quotes that begin at `start`, doubled quotes made single. */
function unquote(image: string, start: number): string {
  const text = image.slice(start + 1, -1);
  return text.includes("'") ? text.replaceAll("''", "'") : text;
}

function wordValue(image: string): LiteralValue {
  if (image === "null") return { type: "null", value: null };
  if (image === "INF") return { type: "Edm.Double", value: Infinity };
  if (image === "NaN") return { type: "Edm.Double", value: NaN };
  return { type: "Edm.Boolean", value: image.length === 4 };
}

/**
 * Reads a number without loss: integers beyond the safe ones become bigint, decimals with more digits than a number
 * holds stay text.
 *
 * @param image digits with sign, fraction and exponent, maybe with a suffix: `L` of `Edm.Int64`, `D` or `F` of floating
 * point, `M` of `Edm.Decimal`
 * @returns the value with the type that its form shows
 */
export function numberValue(image: string): LiteralValue {
  const whole = wholeNumber(image);
  if (whole !== undefined) return { type: "Edm.Int64", value: whole };
  const last = image[image.length - 1]!;
  const suffix = last > "9" ? last.toUpperCase() : "";
  const text = image.slice(image[0] === "+" ? 1 : 0, image.length - suffix.length);
  if (suffix === "D" || suffix === "F") return { type: "Edm.Double", value: Number(text) };
  if (suffix !== "M" && /^-?\d+$/.test(text)) return integerValue(text);
  if (/e/i.test(text)) return { type: "Edm.Double", value: Number(text) };
  const digits = text.replace(/[-.]/g, "").replace(/^0+/, "").length;
  return { type: "Edm.Decimal", value: digits <= 15 ? Number(text) : text };
}

/**
 * Reads a whole number without sign; `Number` takes longer, and takes more.
 *
 * @param text any text
 * @returns undefined unless all of it is digits, and the number one without loss
 */
export function wholeNumber(text: string): number | undefined {
  let value = text === "" ? NaN : 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return Number.isSafeInteger(value) ? value : undefined;
}

/**
 * Reads an integer without loss.
 *
 * @param text digits, maybe with a minus
 */
function integerValue(text: string): LiteralValue {
  const value = Number(text);
  return { type: "Edm.Int64", value: Number.isSafeInteger(value) ? value : BigInt(text) };
}

function prefixedValue(image: string): LiteralValue | undefined {
  const quote = image.indexOf("'");
  const prefix = image.slice(0, quote);
  const text = unquote(image, quote);
  switch (prefix.toLowerCase()) {
    case "duration":
      return DURATION.test(text) && !/[PT]$/.test(text) ? { type: "Edm.Duration", value: text } : undefined;
    case "binary":
      return BASE64URL.test(text) ? { type: "Edm.Binary", value: text } : undefined;
    case "geography":
      return isGeoText(text) ? { type: "Edm.Geography", value: text } : undefined;
    case "geometry":
      return isGeoText(text) ? { type: "Edm.Geometry", value: text } : undefined;
    default:
      // qualifiedEnumTypeName has a namespace
      return prefix.includes(".") && ENUM_VALUE.test(text)
        ? { type: "Edm.Enum", value: text, typeName: prefix }
        : undefined;
  }
}

// fullPointLiteral and its siblings (ABNF, section 7)
const NUMBER = "(?:[+-]?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|NaN|-?INF)";

// positionLiteral = doubleValue SP doubleValue [ SP doubleValue ] [ SP doubleValue ]
const POSITION = `${NUMBER}(?: ${NUMBER}){1,3}`;

const list = (item: string): string => `${item}(?:,${item})*`;

const POINT_DATA = `\\(${POSITION}\\)`;

const LINE_DATA = `\\(${POSITION}(?:,${POSITION})+\\)`;

const RING = `\\(${list(POSITION)}\\)`;

const POLYGON_DATA = `\\(${list(RING)}\\)`;

const SIMPLE = [
  `Point${POINT_DATA}`,
  `LineString${LINE_DATA}`,
  `Polygon${POLYGON_DATA}`,
  `MultiPoint\\((?:${list(POINT_DATA)})?\\)`,
  `MultiLineString\\((?:${list(LINE_DATA)})?\\)`,
  `MultiPolygon\\((?:${list(POLYGON_DATA)})?\\)`,
].join("|");

const COLLECTION_DEPTH = 8;

let simple: RegExp | undefined;

/**
 * Whether text is a geo value with its reference system: `SRID=0;Point(1 2)`.
 *
 * @param text the text between the quotes
 * @returns true if it matches the grammar; letter case is ignored as ABNF does
 */
export function isGeoText(text: string): boolean {
  const srid = /^SRID=\d{1,5};/i.exec(text);
  if (srid === null) return false;
  return isGeometry(text.slice(srid[0].length), COLLECTION_DEPTH);
}

function isGeometry(text: string, depth: number): boolean {
  simple ??= new RegExp(`^(?:${SIMPLE})$`, "i");
  const collection = /^GeometryCollection\((.*)\)$/is.exec(text);
  if (collection === null) return simple.test(text);
  return depth > 0 && splitTop(collection[1]).every((item) => isGeometry(item, depth - 1));
}

/** Cuts at the commas outside of parentheses. */
function splitTop(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")") depth--;
    else if (text[i] === "," && depth === 0) {
      items.push(text.slice(start, i));
      start = i + 1;
    }
  }
  items.push(text.slice(start));
  return items;
}
