/**
 * The first stage of reading a URL: the raw text is cut at `/`, `?`, `&` and `=`, and only then decoded, so that an
 * encoded delimiter never counts as one (OData 4.01 Part 2, section 2).
 *
 * @module
 */

import { syntaxError } from "./syntax_error.ts";

/** A piece of the raw URL, decoded. */
export interface Piece {
  readonly text: string;
  /** The raw text. */
  readonly raw: string;
  /** Offset of the raw text in the raw URL. */
  readonly base: number;
}

/** A query option. */
export interface RawOption {
  readonly name: Piece;
  /** Undefined without `=`. */
  readonly value?: Piece;
}

/** A URL in pieces. */
export interface SplitUrl {
  readonly segments: readonly Piece[];
  readonly options: readonly RawOption[];
}

const offsetTables = new WeakMap<Piece, readonly number[]>();

/**
 * Translates an offset in the decoded text of a piece to one in the raw URL.
 *
 * @param piece the piece
 * @param offset characters before the place in `piece.text`
 * @returns characters before the place in the raw URL
 */
export function rawOffset(piece: Piece, offset: number): number {
  if (piece.text.length === piece.raw.length) return piece.base + offset;
  let table = offsetTables.get(piece);
  if (table === undefined) offsetTables.set(piece, table = buildOffsets(piece));
  return piece.base + table[Math.min(offset, piece.text.length)];
}

function buildOffsets(piece: Piece): readonly number[] {
  const { raw, text } = piece;
  const table: number[] = [];
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    table[i] = at;
    if (raw[at] !== "%") {
      at++;
      continue;
    }
    const lead = parseInt(raw.slice(at + 1, at + 3), 16);
    at += 3 * (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
    // A character of four bytes is two code units.
    if (lead >= 0xf0) table[++i] = at;
  }
  table[text.length] = raw.length;
  return table;
}

/**
 * Cuts a raw URL, relative to the service root, into decoded pieces.
 *
 * @param raw path and query, not decoded, without leading slash
 * @returns its pieces
 * @throws {ServiceError} 400 for malformed percent-encoding or a `#`
 */
export function splitUrl(raw: string): SplitUrl {
  const hash = raw.indexOf("#");
  if (hash >= 0) throw syntaxError({ offset: hash, found: "#", expected: "%23" });
  const mark = raw.indexOf("?");
  const path = mark < 0 ? raw : raw.slice(0, mark);
  return {
    segments: path === "" ? [] : splitPath(path),
    options: mark < 0 ? [] : splitQuery(raw, mark + 1),
  };
}

/**
 * Cuts a raw path at its slashes; those inside `$filter(…)` do not count.
 *
 * @param path the raw path, without leading slash
 * @returns the decoded segments
 */
function splitPath(path: string): Piece[] {
  const segments: Piece[] = [];
  const decode = path.includes("%") ? piece : plainPiece;
  let start = 0;
  while (start <= path.length) {
    const isFilter = path[start] === "$" && path.startsWith("$filter", start);
    const end = isFilter ? filterEnd(path, start) : indexOrEnd(path, "/", start);
    segments.push(decode(path.slice(start, end), start));
    start = end + 1;
  }
  return segments;
}

/** End of a segment `$filter(…)`: the first slash outside of its parentheses and strings. */
function filterEnd(path: string, from: number): number {
  const delimiter = /'|%27|\(|%28|\)|%29|\//g;
  delimiter.lastIndex = from;
  let depth = 0;
  let quoted = false;
  for (let match = delimiter.exec(path); match !== null; match = delimiter.exec(path)) {
    const text = match[0];
    if (text === "'" || text === "%27") quoted = !quoted;
    else if (quoted) continue;
    else if (text === "(" || text === "%28") depth++;
    else if (text === ")" || text === "%29") depth--;
    else if (depth <= 0) return match.index;
  }
  return path.length;
}

/**
 * Cuts a raw query at `&` and each option at its first `=`.
 *
 * @param raw the raw URL
 * @param from where its query begins, behind `?`
 * @returns the decoded options; empty ones between two `&` are left out
 * @throws {ServiceError} 400 for malformed percent-encoding
 */
export function splitQuery(raw: string, from: number): RawOption[] {
  const options: RawOption[] = [];
  const decode = raw.includes("+", from) ? queryPiece : raw.includes("%", from) ? piece : plainPiece;
  let equals = from - 1;
  for (let start = from; start < raw.length;) {
    let end = raw.indexOf("&", start);
    if (end < 0) end = raw.length;
    if (end > start) {
      if (equals < start) equals = indexOrEnd(raw, "=", start);
      const nameEnd = Math.min(equals, end);
      const name = decode(raw.slice(start, nameEnd), start);
      const value = equals < end ? decode(raw.slice(equals + 1, end), equals + 1) : undefined;
      options.push({ name, value });
    }
    start = end + 1;
  }
  return options;
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index < 0 ? text.length : index;
}

// In a query string `+` is a blank, except as the sign of a time zone: `T12:30+01:00`.
const PLUS = /(\d(?::|%3[Aa])\d\d(?:\.\d+)?)\+(?=\d\d(?::|%3[Aa])\d\d)|\+/g;

/**
 * Decodes a part of a raw query, where `+` is a blank.
 *
 * @param raw the raw text
 * @param base its offset in the raw URL
 * @returns the piece
 * @throws {ServiceError} 400 for malformed percent-encoding
 */
export function queryPiece(raw: string, base: number): Piece {
  const text = raw.replace(PLUS, (_match, time?: string) => time === undefined ? " " : `${time}+`);
  return piece(raw, base, text);
}

/** A part of a raw URL in which nothing is encoded. */
function plainPiece(raw: string, base: number): Piece {
  return { text: raw, raw, base };
}

/** Decodes a part of a raw URL, or the text that it was replaced by. */
function piece(raw: string, base: number, text = raw): Piece {
  if (!text.includes("%")) return { text, raw, base };
  try {
    return { text: decodeURIComponent(text), raw, base };
  } catch {
    throw syntaxError({
      offset: base + badEscape(raw),
      found: raw.slice(badEscape(raw)),
      expected: "valid percent-encoding",
    });
  }
}

/** Offset of the first escape that is no valid UTF-8. */
function badEscape(raw: string): number {
  const escapes = /(?:%[0-9A-Fa-f]{2})+|%/g;
  for (let match = escapes.exec(raw); match !== null; match = escapes.exec(raw)) {
    try {
      decodeURIComponent(match[0]);
    } catch {
      return match.index;
    }
  }
  return 0;
}
