/**
 * The shape of a URL: its raw text without the literals, found by one cheap scan. The scan need not understand the URL:
 * when a shape is planned for the first time, each literal it took out must be one that the plan uses as a value, with
 * the same place and text; otherwise the shape is not cached (`shape_cache.ts`). Nothing is made of the text but the
 * literals that are asked for: shapes are compared in place.
 *
 * @module
 */

import type { PrimitiveLiteral } from "../url/ast.ts";
import { numberValue } from "../url/literals.ts";
import { queryPiece } from "../url/split_url.ts";
import { WordTable } from "../url/word_table.ts";
import { PAGE_TOKEN } from "./keyset.ts";

/** What the literals of a shape are: a URL with others at their places has another shape. */
const [INTEGER, NEGATIVE, DECIMAL, STRING, GUID, DATE, INSTANT, TOKEN] = [1, 2, 3, 4, 5, 6, 7, 8];

/** Options whose values have literals, and whether the value may be the token of a page. */
const REDUCED: WordTable<boolean> = new WordTable(
  ["filter", "orderby", "expand", "compute", "apply", "top", "skip", "skiptoken"]
    .map((name) => [name, name === "skiptoken"] as const),
);

const GUID_FORM = /[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![\w.~%-])/y;
const DAY = "\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])";
const TIME = "(?:[01]\\d|2[0-3]):[0-5]\\d(?::(?:[0-5]\\d|60)(?:\\.\\d{1,12})?)?";
/** Literals that begin with a digit or minus and are no whole numbers. */
const NUMERIC: readonly (readonly [kind: number, form: RegExp])[] = [
  [INSTANT, new RegExp(`${DAY}T${TIME}Z(?![\\w.~-])`, "y")],
  [DATE, new RegExp(`${DAY}(?![\\w.~:-])`, "y")],
  [DECIMAL, /-?\d+\.\d+(?![\w.~:-])/y],
  [NEGATIVE, /-\d+(?![\w.~:-])/y],
];

const [HASH, DOLLAR, AMPERSAND, MINUS, SLASH, COLON] = [0x23, 0x24, 0x26, 0x2d, 0x2f, 0x3a];
const [ZERO, EQUALS, QUESTION, AT] = [0x30, 0x3d, 0x3f, 0x40];
/** Integers of so many digits are numbers without loss. */
const SAFE_DIGITS = 15;

/** What a character may begin; all others stand for themselves. */
const [NAME, DIGIT, SIGN, QUOTE, PERCENT] = [1, 2, 3, 4, 5];
const BEGINS = Uint8Array.from({ length: 128 }, (_none, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_.~]/.test(character)) return NAME;
  if (/\d/.test(character)) return DIGIT;
  return { "-": SIGN, "'": QUOTE, "%": PERCENT }[character] ?? 0;
});

/** Longer URLs have no shape. */
const LONGEST_URL = 16_384;
const ENCODER = new TextEncoder();

/** A URL cut into literals and what stands between them. */
export interface Shape {
  /** The characters between the literals. */
  readonly gaps: Uint8Array;
  /** How many of them stand before each literal, and behind the last one. */
  readonly lengths: readonly number[];
  /** What the literals are. */
  readonly kinds: readonly number[];
}

/** Finds the literals of one URL after the other. */
export class UrlScan {
  #raw = "";
  /** The characters of the URL, which are read faster here. */
  readonly #codes = new Uint8Array(LONGEST_URL + 2);
  #length = 0;
  /** Where the query begins. */
  #query = 0;
  #count = 0;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #kinds: number[] = [];

  /** Number of literals. */
  get count(): number {
    return this.#count;
  }

  /**
   * Scans a URL.
   *
   * @param raw path and query, not decoded
   * @returns false if it has no shape: URLs consist of ASCII, and only the query of a body may be very long
   */
  run(raw: string): boolean {
    const { length } = raw;
    if (length > LONGEST_URL || ENCODER.encodeInto(raw, this.#codes).written !== length) return false;
    this.#raw = raw;
    this.#length = length;
    // an escape that the end cuts off is none, whatever the URL before had there
    this.#codes.fill(0, length, length + 2);
    this.#count = 0;
    const path = this.#next(QUESTION, 0);
    this.#query = path + 1;
    this.#part(0, path);
    for (let start = this.#query; start < length;) {
      const end = this.#next(AMPERSAND, start);
      this.#option(start, end);
      start = end + 1;
    }
    return true;
  }

  /** A number that URLs of the same shape have in common, and others hardly ever. */
  hash(): number {
    let hash = this.#count;
    let at = 0;
    for (let i = 0; i < this.#count; i++) {
      hash = Math.imul(this.#hashOf(at, this.#starts[i], hash), 31) + this.#kinds[i];
      at = this.#ends[i];
    }
    return this.#hashOf(at, this.#length, hash);
  }

  #hashOf(from: number, to: number, seed: number): number {
    const codes = this.#codes;
    let hash = seed;
    let at = from;
    for (; at + 3 < to; at += 4) {
      const four = codes[at] | codes[at + 1] << 8 | codes[at + 2] << 16 | codes[at + 3] << 24;
      hash = Math.imul(hash ^ hash >>> 15 ^ four, 0x01000193);
    }
    for (; at < to; at++) hash = Math.imul(hash ^ codes[at], 0x01000193);
    return hash ^ hash >>> 15;
  }

  /** The shape of the URL. */
  shape(): Shape {
    const lengths: number[] = [];
    const gaps: number[] = [];
    let at = 0;
    for (let i = 0; i <= this.#count; i++) {
      const end = i < this.#count ? this.#starts[i] : this.#length;
      gaps.push(...this.#codes.subarray(at, end));
      lengths.push(end - at);
      at = this.#ends[i];
    }
    return { gaps: Uint8Array.from(gaps), lengths, kinds: this.#kinds.slice(0, this.#count) };
  }

  /**
   * Whether the URL has a shape.
   *
   * @param shape the shape
   */
  has({ gaps, lengths, kinds }: Shape): boolean {
    const codes = this.#codes;
    const count = this.#count;
    if (kinds.length !== count) return false;
    let at = 0;
    let gap = 0;
    for (let i = 0; i <= count; i++) {
      const end = i < count ? this.#starts[i] : this.#length;
      if (end - at !== lengths[i] || (i < count && kinds[i] !== this.#kinds[i])) return false;
      while (at < end) if (codes[at++] !== gaps[gap++]) return false;
      at = this.#ends[i];
    }
    return true;
  }

  /**
   * A literal of the URL.
   *
   * @param index its position among the literals
   */
  literal(index: number): PrimitiveLiteral {
    const start = this.#starts[index];
    const end = this.#ends[index];
    const kind = this.#kinds[index];
    if (kind === STRING) return this.#stringLiteral(start, end);
    if (kind === TOKEN) {
      const offset = this.#raw.lastIndexOf("=", start) + 1;
      const token = this.#raw.slice(offset, end);
      return { kind: "primitiveLiteral", offset, type: "Edm.String", value: token, text: token };
    }
    const text = this.#raw.slice(start, end);
    if (kind === INTEGER && end - start <= SAFE_DIGITS) {
      const value = this.#integer(start, end);
      return { kind: "primitiveLiteral", offset: start, type: "Edm.Int64", value, text };
    }
    if (kind === INTEGER || kind === NEGATIVE || kind === DECIMAL) {
      const { type, value } = numberValue(text);
      return { kind: "primitiveLiteral", offset: start, type, value, text };
    }
    const type = kind === GUID ? "Edm.Guid" : kind === DATE ? "Edm.Date" : "Edm.DateTimeOffset";
    return { kind: "primitiveLiteral", offset: start, type, value: text, text };
  }

  #integer(start: number, end: number): number {
    let value = 0;
    for (let at = start; at < end; at++) value = value * 10 + this.#codes[at] - ZERO;
    return value;
  }

  #stringLiteral(start: number, end: number): PrimitiveLiteral {
    const raw = this.#raw;
    // a web `Request` writes quotes in the query as `%27`
    const first = this.#quoteEnd(start);
    const last = raw[end - 1] === "'" ? end - 1 : end - 3;
    const inner = decode(raw.slice(first, last), start >= this.#query);
    const value = inner.includes("'") ? inner.replaceAll("''", "'") : inner;
    return { kind: "primitiveLiteral", offset: start, type: "Edm.String", value, text: `'${inner}'` };
  }

  #take(kind: number, start: number, end: number): number {
    const index = this.#count++;
    this.#kinds[index] = kind;
    this.#starts[index] = start;
    this.#ends[index] = end;
    return end;
  }

  /** Where a character stands next, or the end. */
  #next(code: number, from: number): number {
    let at = from;
    while (at < this.#length && this.#codes[at] !== code) at++;
    return at;
  }

  #option(start: number, end: number): void {
    const equals = this.#next(EQUALS, start);
    if (equals >= end) return;
    const first = this.#codes[start];
    const name = first === DOLLAR ? start + 1 : start;
    const mayBeToken = first === AT ? false : REDUCED.find(this.#raw, name, equals);
    if (mayBeToken === undefined) return;
    // which values of a page token are null stays in the shape
    const nulls = mayBeToken ? PAGE_TOKEN.exec(this.#raw.slice(equals + 1, end))?.[1] : undefined;
    if (nulls === undefined) this.#part(equals + 1, end);
    else this.#take(TOKEN, equals + 1 + nulls.length, end);
  }

  /** A part of the URL with literals. */
  #part(from: number, to: number): void {
    const codes = this.#codes;
    for (let at = from; at < to;) {
      switch (BEGINS[codes[at]]) {
        case NAME:
          at = this.#name(at, to);
          break;
        case DIGIT:
          at = this.#number(at, to);
          break;
        case SIGN:
          at = this.#numeric(at) || at + 1;
          break;
        case QUOTE:
          at = this.#string(at, to) || at + 1;
          break;
        case PERCENT:
          at = this.#escape(at, to);
          break;
        default:
          at++;
      }
    }
  }

  /** A word, with the string that may follow it, or a GUID. */
  #name(at: number, to: number): number {
    const end = this.#guid(at);
    if (end > 0) return end;
    const word = this.#wordEnd(at, to);
    return word < to && this.#isQuote(word) ? this.#stringEnd(word, to) || word : word;
  }

  #guid(at: number): number {
    if (this.#codes[at + 8] !== MINUS) return 0;
    GUID_FORM.lastIndex = at;
    return GUID_FORM.test(this.#raw) ? this.#take(GUID, at, GUID_FORM.lastIndex) : 0;
  }

  /** What begins with a digit. */
  #number(at: number, to: number): number {
    const codes = this.#codes;
    let end = at + 1;
    while (end < to && BEGINS[codes[end]] === DIGIT) end++;
    if (end === to || !isLiteralPart(codes[end])) return this.#take(INTEGER, at, end);
    return this.#guid(at) || this.#numeric(at) || end;
  }

  #numeric(at: number): number {
    for (const [kind, form] of NUMERIC) {
      form.lastIndex = at;
      if (form.test(this.#raw)) return this.#take(kind, at, form.lastIndex);
    }
    return 0;
  }

  /** What begins with a percent sign. */
  #escape(at: number, to: number): number {
    if (this.#isQuote(at)) return this.#string(at, to) || at + 3;
    if (this.#isWordEscape(at)) return this.#name(at, to);
    return this.#isEscape(at) ? at + 3 : at + 1;
  }

  #string(at: number, to: number): number {
    const end = this.#stringEnd(at, to);
    return end > 0 ? this.#take(STRING, at, end) : 0;
  }

  /** End of the string whose quote stands at a place; 0 if there is none that could be decoded. */
  #stringEnd(quote: number, to: number): number {
    const isPath = quote < this.#query;
    let isAscii = true;
    for (let at = this.#quoteEnd(quote); at < to;) {
      const code = this.#codes[at];
      if (this.#isQuote(at)) {
        const end = this.#quoteEnd(at);
        const isDoubled = end < to && this.#isQuote(end);
        if (!isDoubled) return isAscii || isDecodable(this.#raw.slice(quote, end)) ? end : 0;
        at = this.#quoteEnd(end);
      } else if (BEGINS[code] === PERCENT) {
        if (!this.#isEscape(at)) return 0;
        if (this.#isWordEscape(at)) isAscii = false;
        at += 3;
      } else {
        // even inside of a string a raw hash ends the URL, and a raw slash the segment of a path
        if (code === HASH || (isPath && code === SLASH)) return 0;
        at++;
      }
    }
    return 0;
  }

  #wordEnd(at: number, to: number): number {
    const codes = this.#codes;
    let end = at;
    while (end < to) {
      const begins = BEGINS[codes[end]];
      if (begins >= NAME && begins <= SIGN) end++;
      else if (begins === PERCENT && this.#isWordEscape(end)) end += 3;
      else break;
    }
    return end;
  }

  #isEscape(at: number): boolean {
    return isHexDigit(this.#codes[at + 1]) && isHexDigit(this.#codes[at + 2]);
  }

  /** The escape of a byte of what is not ASCII. */
  #isWordEscape(at: number): boolean {
    return this.#codes[at + 1] >= 0x38 && this.#isEscape(at);
  }

  /** Either form of a quote. */
  #isQuote(at: number): boolean {
    const codes = this.#codes;
    const begins = BEGINS[codes[at]];
    return begins === QUOTE || (begins === PERCENT && codes[at + 1] === 0x32 && codes[at + 2] === 0x37);
  }

  /** End of the quote at a place. */
  #quoteEnd(at: number): number {
    return BEGINS[this.#codes[at]] === QUOTE ? at + 1 : at + 3;
  }
}

/** Text of a string; in the query a plus is a blank. */
function decode(text: string, isQuery: boolean): string {
  if (isQuery && text.includes("+")) return queryPiece(text, 0).text;
  return text.includes("%") ? decodeURIComponent(text) : text;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** What follows the digits of a longer literal. */
function isLiteralPart(code: number): boolean {
  const begins = BEGINS[code];
  return (begins >= NAME && begins <= SIGN) || code === COLON;
}

function isHexDigit(code: number): boolean {
  return BEGINS[code] === DIGIT || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);
}
