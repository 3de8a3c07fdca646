/**
 * The shape of a URL: its raw text with a typed placeholder for each literal, found by one cheap scan. The scan need not
 * understand the URL: when a shape is planned for the first time, each literal it took out must be one that the plan
 * uses as a value, with the same place and text; otherwise the shape is not cached (`shape_cache.ts`).
 *
 * @module
 */

import type { PrimitiveLiteral } from "../url/ast.ts";
import { integerValue, numberValue } from "../url/literals.ts";
import { PAGE_TOKEN } from "./keyset.ts";

/** A URL without its literals, and the literals. */
export interface UrlShape {
  readonly shape: string;
  readonly literals: readonly PrimitiveLiteral[];
}

/** Options whose values have literals. */
const REDUCED = ["filter", "orderby", "expand", "compute", "apply", "top", "skip", "skiptoken"] as const;

const GUID = /[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![\w.~%-])/y;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?Z(?![\w.~-])/y;
const DATE = /\d{4}-\d\d-\d\d(?![\w.~:-])/y;
const NUMBER = /-?\d+(?:\.\d+)?(?![\w.~:-])/y;
/** A web `Request` writes quotes in the query as `%27`; the parser takes either for the quote that it is. */
const STRING = /(?:'|%27)(?:[^'%]|(?:'|%27){2}|%(?!27)[0-9A-Fa-f]{2})*(?:'|%27)(?!'|%27)/y;
const WORD =
  /(?:[A-Za-z_.~\u0080-\uffff]|%[89A-Fa-f][0-9A-Fa-f])(?:[\w.~\u0080-\uffff-]|%[89A-Fa-f][0-9A-Fa-f])*/y;
/** What follows the digits of a longer literal. */
const IN_LITERAL = /[\w.~:-]/;
const ESCAPE = /%[0-9A-Fa-f]{2}/y;

/**
 * Takes the literals out of a URL.
 *
 * @param raw path and query, not decoded
 * @returns shape and literals
 */
export function urlShape(raw: string): UrlShape {
  const state: Reducing = { raw, literals: [], shape: "", plain: 0 };
  const mark = raw.indexOf("?");
  reduce(state, 0, mark < 0 ? raw.length : mark);
  for (let start = mark < 0 ? raw.length : mark + 1; start < raw.length;) {
    let end = raw.indexOf("&", start);
    if (end < 0) end = raw.length;
    const equals = raw.indexOf("=", start);
    if (equals >= 0 && equals < end && isReduced(raw, start, equals)) {
      reduceOption(state, equals, end);
    }
    start = end + 1;
  }
  const { literals, shape, plain } = state;
  return { shape: plain === 0 ? raw : shape + raw.slice(plain), literals };
}

/** A URL whose shape is known up to a place. */
interface Reducing {
  readonly raw: string;
  readonly literals: PrimitiveLiteral[];
  shape: string;
  /** Where the shape ends: behind the literal found last. */
  plain: number;
}

function take(state: Reducing, at: number, { node, placeholder, end }: Found): void {
  state.literals.push(node);
  // A control character cannot stand in a raw URL.
  state.shape += state.raw.slice(state.plain, at) + placeholder;
  state.plain = end;
}

function reduceOption(state: Reducing, equals: number, end: number): void {
  const isToken = state.raw.endsWith(SKIPTOKEN, equals);
  const token = isToken ? tokenAt(state.raw, equals + 1, end) : undefined;
  if (token) take(state, equals + 1, token);
  else reduce(state, equals + 1, end);
}

const SKIPTOKEN = "skiptoken";

/** The token of a page: which of its values are null stays in the shape. */
function tokenAt(raw: string, start: number, end: number): Found | undefined {
  const text = raw.slice(start, end);
  const nulls = PAGE_TOKEN.exec(text)?.[1];
  if (nulls === undefined) return undefined;
  return {
    node: { kind: "primitiveLiteral", offset: start, type: "Edm.String", value: text, text },
    placeholder: `\u0001k${nulls}`,
    end,
    isText: true,
  };
}

/** Whether the option whose name stands at a place is an alias, or one that has literals. */
function isReduced(raw: string, start: number, end: number): boolean {
  const first = raw[start];
  if (first === "@") return true;
  const from = first === "$" ? start + 1 : start;
  for (const name of REDUCED) if (end - from === name.length && raw.startsWith(name, from)) return true;
  return false;
}

function reduce(state: Reducing, from: number, to: number): void {
  const { raw } = state;
  const text = to === raw.length ? raw : raw.slice(0, to);
  // Even inside a string a raw hash ends the URL, and a raw slash the path segment.
  const cut = from === 0 ? /[/#]/ : /#/;
  for (let at = from; at < to;) {
    const literal = mayBeginLiteral(text.charCodeAt(at)) ? literalAt(text, at) : undefined;
    if (literal !== undefined && !(literal.isText && cut.test(text.slice(at, literal.end)))) {
      take(state, at, literal);
      at = literal.end;
    } else at = plainEnd(text, at);
  }
}

/** Quotes in either form, digits and minus, and the letters of hexadecimal digits. */
function mayBeginLiteral(code: number): boolean {
  return code === 0x27 || code === 0x25 || code === 0x2d || isDigit(code) || (code >= 0x41 && code <= 0x46) ||
    (code >= 0x61 && code <= 0x66);
}

/** End of what stands at a place and is no literal: a word with the string that may follow it, or one character. */
function plainEnd(text: string, at: number): number {
  if (!mayBeginWord(text.charCodeAt(at))) return at + 1;
  const end = wordEnd(text, at);
  if (end === at) return at + (match(ESCAPE, text, at)?.length ?? 1);
  return isQuote(text, end) ? end + (match(STRING, text, end)?.length ?? 0) : end;
}

/** End of a word; where none begins, the place itself. Most words are ASCII. */
function wordEnd(text: string, at: number): number {
  let end = at;
  let code = text.charCodeAt(end);
  while (isAsciiWord(code)) code = text.charCodeAt(++end);
  return code === 0x25 || code >= 0x80 ? at + (match(WORD, text, at)?.length ?? 0) : end;
}

/** Letters, digits, `_`, `.`, `~`, `-`. */
function isAsciiWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || isDigit(code) || code === 0x5f ||
    code === 0x2e || code === 0x7e || code === 0x2d;
}

/** Letters, `_`, `.`, `~`, what is not ASCII, and the percent sign of an escape. */
function mayBeginWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code >= 0x7e ||
    code === 0x2e || code === 0x25;
}

function match(form: RegExp, text: string, at: number): string | undefined {
  form.lastIndex = at;
  return form.test(text) ? text.slice(at, form.lastIndex) : undefined;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Either form of a quote. */
function isQuote(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x27 || (code === 0x25 && text.startsWith("%27", at));
}

/** Digits that no other literal begins with; undefined for anything else. */
function integerAt(text: string, at: number): string | undefined {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end++;
  return end === at || (end < text.length && IN_LITERAL.test(text[end]!)) ? undefined : text.slice(at, end);
}

interface Found {
  readonly node: PrimitiveLiteral;
  readonly placeholder: string;
  readonly end: number;
  /** A string: may hold any character. */
  readonly isText: boolean;
}

function literalAt(text: string, at: number): Found | undefined {
  const first = text.charCodeAt(at);
  if (isQuote(text, at)) return stringAt(text, at);
  const digit = isDigit(first);
  const integer = digit ? integerAt(text, at) : undefined;
  if (integer !== undefined) return found(at, integer, integerValue(integer));
  const hex = digit || (first >= 0x41 && first <= 0x46) || (first >= 0x61 && first <= 0x66);
  if (hex && text.charCodeAt(at + 8) === 0x2d) {
    const guid = match(GUID, text, at);
    if (guid !== undefined) return found(at, guid, { type: "Edm.Guid", value: guid });
  }
  if (!digit && first !== 0x2d) return undefined;
  const instant = match(INSTANT, text, at);
  if (instant !== undefined) return found(at, instant, { type: "Edm.DateTimeOffset", value: instant });
  const date = match(DATE, text, at);
  if (date !== undefined) return found(at, date, { type: "Edm.Date", value: date });
  const number = match(NUMBER, text, at);
  return number === undefined ? undefined : found(at, number, numberValue(number));
}

function stringAt(text: string, at: number): Found | undefined {
  const raw = match(STRING, text, at);
  if (raw === undefined) return undefined;
  let image = raw;
  if (raw.includes("%") || raw.includes("+")) {
    const decoded = decode(raw);
    if (decoded === undefined) return undefined;
    image = decoded;
  }
  const value = image.slice(1, -1).replaceAll("''", "'");
  const node: PrimitiveLiteral = {
    kind: "primitiveLiteral",
    offset: at,
    type: "Edm.String",
    value,
    text: image,
  };
  return { node, placeholder: "\u0001s", end: at + raw.length, isText: true };
}

function decode(raw: string): string | undefined {
  // A plus is a blank in the query and itself in the path: such strings are left to the parser.
  if (raw.includes("+")) return undefined;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

function found(offset: number, text: string, value: Pick<PrimitiveLiteral, "type" | "value">): Found {
  return {
    node: { kind: "primitiveLiteral", offset, text, type: value.type, value: value.value },
    placeholder: `\u0001${value.type}`,
    end: offset + text.length,
    isText: false,
  };
}
