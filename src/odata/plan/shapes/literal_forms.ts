/**
 * Literals in raw URLs: where they end, and their values, without the tokens of the parser.
 *
 * @module
 */

import type { PrimitiveLiteral } from "../../url/ast.ts";
import { numberValue } from "../../url/literals.ts";
import { queryPiece } from "../../url/split_url.ts";
import { isLetter } from "../../url/lexer.ts";

/** What literals may be; those that a sign, a fraction or a time tells apart may stand at other places. */
export type LiteralForm =
  | "integer"
  | "negative"
  | "decimal"
  | "string"
  /** A string in the path. */
  | "pathString"
  | "guid"
  | "date"
  | "instant"
  /** An instant with milliseconds, which some types do not have. */
  | "millisecond"
  /** The values of a page token; which of them are null stands before. */
  | "token";

const DAY = "\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])";
const SECONDS = "(?:[01]\\d|2[0-3]):[0-5]\\d:(?:[0-5]\\d|60)";
/** Without fraction, as all types have it; finer instants than those with milliseconds decide about the plan. */
const TIME = `(?:${SECONDS}(?:\\.0{1,12})?|(?:[01]\\d|2[0-3]):[0-5]\\d)`;
const MILLISECOND = `${SECONDS}\\.(?!0+Z)\\d{1,3}`;
const PATTERNS: Readonly<Record<Exclude<LiteralForm, "integer" | "string" | "pathString">, RegExp>> = {
  negative: /-\d+(?![\w.~:-])/y,
  decimal: /-?\d+\.\d+(?![\w.~:-])/y,
  guid: /[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![\w.~%-])/y,
  date: new RegExp(`${DAY}(?![\\w.~:-])`, "y"),
  instant: new RegExp(`${DAY}T${TIME}Z(?![\\w.~-])`, "y"),
  millisecond: new RegExp(`${DAY}T${MILLISECOND}Z(?![\\w.~-])`, "y"),
  token: /\.[\w-]+(?=&|$)/y,
};
const ESCAPE = /%[0-9A-Fa-f]{2}/y;
const [HASH, PERCENT, AMPERSAND, QUOTE, SLASH] = [0x23, 0x25, 0x26, 0x27, 0x2f];
const [MINUS, DOT, ZERO, SEVEN, EIGHT, NINE] = [0x2d, 0x2e, 0x30, 0x37, 0x38, 0x39];
const [COLON, QUESTION, UNDERSCORE, TILDE] = [0x3a, 0x3f, 0x5f, 0x7e];
/**
 * Where a literal ends.
 *
 * @param form what it must be
 * @param raw the raw URL
 * @param at where it begins
 * @returns its end; 0 if there is none of this form
 */
export function literalEnd(form: LiteralForm, raw: string, at: number): number {
  if (form === "integer") return integerEnd(raw, at);
  if (form === "string" || form === "pathString") return stringEnd(raw, at, form === "pathString");
  const pattern = PATTERNS[form];
  pattern.lastIndex = at;
  return pattern.test(raw) ? pattern.lastIndex : 0;
}

/** Digits that no other literal begins with. */
function integerEnd(raw: string, at: number): number {
  let end = at;
  while (end < raw.length && isDigit(raw.charCodeAt(end))) end++;
  return end === at || (end < raw.length && isLiteralPart(raw.charCodeAt(end))) ? 0 : end;
}

/** What follows the digits of a longer literal: `[\w.~:-]`. */
function isLiteralPart(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === COLON || code === DOT || code === MINUS ||
    code === UNDERSCORE || code === TILDE;
}

/**
 * Where a string ends that can be decoded. A web `Request` writes quotes in the query as `%27`; the parser takes either
 * for the quote that it is.
 */
function stringEnd(raw: string, at: number, inPath: boolean): number {
  const limit = inPath ? QUESTION : AMPERSAND;
  let end = at + quoteLength(raw, at);
  if (end === at) return 0;
  for (let isAscii = true; end < raw.length;) {
    const code = raw.charCodeAt(end);
    const quote = code === QUOTE || code === PERCENT ? quoteLength(raw, end) : 0;
    if (quote > 0) {
      end += quote;
      const doubled = quoteLength(raw, end);
      if (doubled === 0) return isAscii || isDecodable(raw.slice(at, end)) ? end : 0;
      end += doubled;
    } else if (code === PERCENT) {
      if (!isEscape(raw, end)) return 0;
      if (raw.charCodeAt(end + 1) >= EIGHT) isAscii = false;
      end += 3;
    } else {
      // even inside of a string a raw hash ends the URL, and a raw slash the segment of a path
      if (code === limit || code === HASH || (inPath && code === SLASH)) return 0;
      end++;
    }
  }
  return 0;
}

/**
 * Characters of the quote at a place, which has two forms.
 *
 * @param raw the raw URL
 * @param at the place
 * @returns 0 if there is none
 */
export function quoteLength(raw: string, at: number): number {
  if (at >= raw.length) return 0;
  const code = raw.charCodeAt(at);
  if (code === QUOTE) return 1;
  return code === PERCENT && raw.charCodeAt(at + 2) === SEVEN && raw.startsWith("%27", at) ? 3 : 0;
}

/** Whether a place has a percent sign with two hexadecimal digits. */
function isEscape(raw: string, at: number): boolean {
  ESCAPE.lastIndex = at;
  return ESCAPE.test(raw);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads a literal.
 *
 * @param form what it is
 * @param text its raw text
 * @param offset where it begins in the raw URL
 * @returns the node that the parser would make of it
 */
export function readLiteral(form: LiteralForm, text: string, offset: number): PrimitiveLiteral {
  const kind = "primitiveLiteral";
  switch (form) {
    case "integer":
    case "negative":
    case "decimal":
      return number(text, offset);
    case "string":
    case "pathString": {
      const decoded = decode(text, form === "pathString");
      const inner = decoded.slice(1, -1);
      const value = inner.includes("'") ? inner.replaceAll("''", "'") : inner;
      return { kind, offset, type: "Edm.String", value, text: decoded };
    }
    default:
      return { kind, offset, type: TYPES[form], value: text, text };
  }
}

const TYPES = {
  guid: "Edm.Guid",
  date: "Edm.Date",
  instant: "Edm.DateTimeOffset",
  millisecond: "Edm.DateTimeOffset",
  token: "Edm.String",
} as const;

function number(text: string, offset: number): PrimitiveLiteral {
  const { type, value } = numberValue(text);
  return { kind: "primitiveLiteral", offset, type, value, text };
}

/** Text of a string; in the query a plus is a blank. */
function decode(text: string, inPath: boolean): string {
  if (!inPath && text.includes("+")) return queryPiece(text, 0).text;
  return text.includes("%") ? decodeURIComponent(text) : text;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
