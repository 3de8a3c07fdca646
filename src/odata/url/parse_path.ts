/**
 * Segments of the resource path → tree (ABNF, section 1).
 *
 * @module
 */

import type { Limits } from "../../config/limits.ts";
import { isServiceError, ServiceError } from "../../errors/service_error.ts";
import { nearestName } from "../../util/nearest_name.ts";
import type { ArgumentList, PathSegment, SystemSegment } from "./ast.ts";
import { parseText } from "./url_parser.ts";
import { type Piece, rawOffset } from "./split_url.ts";
import { syntaxError } from "./syntax_error.ts";

const SYSTEM_SEGMENTS = new Set<string>([
  "$count",
  "$value",
  "$ref",
  "$query",
  "$each",
  "$batch",
  "$metadata",
  "$entity",
  "$all",
]);
const FIRST_ONLY = new Set(["$batch", "$metadata", "$entity", "$all", "$crossjoin(…)"]);
const NAME = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*$/u;
const QUALIFIED = new RegExp(`${NAME.source.slice(0, -1)}(?:\\.${NAME.source.slice(1, -1)})*$`, "u");

/**
 * Parses the resource path.
 *
 * @param pieces the segments, decoded
 * @param limits bounds in effect
 * @returns the segments as nodes
 * @throws {ServiceError} 404 for a segment that cannot be one, 400 for a malformed `$filter(…)` and unclosed quotes
 */
export function parsePath(pieces: readonly Piece[], limits: Limits): PathSegment[] {
  // One slash at the end of the root is the root itself.
  if (pieces.length === 1 && pieces[0].text === "") return [];
  return pieces.map((piece, index) => {
    try {
      const segment = parseSegment(piece, index, limits);
      if (index > 0) checkFollower(pieces[index - 1], segment, piece);
      return segment;
    } catch (error) {
      const isMalformed = piece.text.startsWith("$filter(") || hasOpenQuote(piece.text);
      throw isServiceError(error) && !isMalformed ? asNotFound(error) : error;
    }
  });
}

/** A path that cannot be read names nothing. */
function asNotFound(error: ServiceError): ServiceError {
  return new ServiceError({ status: 404, code: "404", message: error.message, cause: error });
}

/** Whether a text between quotes does not end; quotes inside of it are doubled. */
function hasOpenQuote(text: string): boolean {
  return text.split("'").length % 2 === 0;
}

function parseSegment(piece: Piece, index: number, limits: Limits): PathSegment {
  const { text, base: offset } = piece;
  if (text[0] === "$") return parseDollar(piece, index, limits);
  const open = text.indexOf("(");
  const name = open < 0 ? text : text.slice(0, open);
  const isName = QUALIFIED.test(name);
  if (index === 0 && !isName) throw syntaxError({ offset, found: text, expected: "a name" });
  if (open < 0 || !isName) return { kind: "nameSegment", offset, name: text, parens: [] };
  return { kind: "nameSegment", offset, name, parens: parens(piece, open, limits) };
}

function parens(piece: Piece, open: number, limits: Limits): readonly ArgumentList[] {
  return parseText(
    piece.text.length === piece.raw.length ? tail(piece, open) : mappedTail(piece, open),
    (parser) => parser.parenLists(),
    {
      mode: "path",
      limits,
    },
  );
}

function tail(piece: Piece, from: number): Piece {
  return { text: piece.text.slice(from), raw: piece.raw.slice(from), base: piece.base + from };
}

function mappedTail(piece: Piece, from: number): Piece {
  const base = rawOffset(piece, from);
  return { text: piece.text.slice(from), raw: piece.raw.slice(base - piece.base), base };
}

function parseDollar(piece: Piece, index: number, limits: Limits): PathSegment {
  const { text, base: offset } = piece;
  if (text.startsWith("$filter(")) {
    const list = parens(piece, 7, limits);
    if (list.length !== 1 || list[0].items.length !== 1 || list[0].items[0].name !== undefined) {
      throw syntaxError({ offset, found: text, expected: "one expression in the parentheses" });
    }
    return { kind: "filterInPath", offset, filter: list[0].items[0].value };
  }
  if (index === 0 && text.startsWith("$crossjoin(") && text.endsWith(")")) {
    const entitySets = text.slice(11, -1).split(",");
    const odd = entitySets.find((name) => !NAME.test(name));
    if (odd !== undefined) {
      throw syntaxError({ offset: offset + 11, found: odd, expected: "names of entity sets" });
    }
    return { kind: "crossjoin", offset, entitySets };
  }
  const isMisplaced = index > 0 && FIRST_ONLY.has(text);
  if (!SYSTEM_SEGMENTS.has(text) || isMisplaced) {
    const known = [...SYSTEM_SEGMENTS, "$filter(…)", "$crossjoin(…)"];
    const here = index === 0 ? known : known.filter((name) => !FIRST_ONLY.has(name));
    throw syntaxError({
      offset,
      found: text,
      expected: "a known segment",
      nearest: isMisplaced ? undefined : nearestName(text, here),
    });
  }
  return { kind: "systemSegment", offset, name: text as SystemSegment["name"] }; // the set holds these names only
}

/** Behind most system segments nothing may follow. */
function checkFollower(before: Piece, segment: PathSegment, piece: Piece): void {
  const { text } = before;
  const fail = (expected: string) => {
    throw syntaxError({ offset: piece.base - 1, found: `/${piece.text}`, expected });
  };
  switch (text) {
    case "$count":
    case "$value":
    case "$ref":
    case "$query":
    case "$batch":
    case "$metadata":
      return fail("the end of the path");
    case "$all":
    case "$entity":
      return segment.kind === "nameSegment" && segment.parens.length === 0 ? undefined : fail("a type name");
    case "$each":
      return segment.kind === "nameSegment" ? undefined : fail("an operation");
    default:
      if (
        text.startsWith("$crossjoin(") && !(segment.kind === "systemSegment" && segment.name === "$query")
      ) {
        fail('"/$query"');
      }
  }
}
