/**
 * One piece of a URL → tree, with the error of the first place that does not fit.
 *
 * @module
 */

import type { IRecognitionException } from "chevrotain";
import type { Limits } from "../../config/limits.ts";
import { type LexerMode, tokenize } from "./lexer.ts";
import type { Rule } from "./parser_base.ts";
import { type Piece, rawOffset } from "./split_url.ts";
import { syntaxError } from "./syntax_error.ts";
import { UrlParser } from "./url_parser.ts";

let parser: UrlParser | undefined;

/** How a piece is read. */
export interface TextOptions {
  readonly mode: LexerMode;
  readonly limits: Limits;
}

/**
 * Parses the text of a piece.
 *
 * @param piece the text
 * @param rule picks the rule that must match all of it
 * @param options lexer mode and limits
 * @returns what the rule makes of it
 * @throws {ServiceError} 400 if it does not match
 */
export function parseText<R>(piece: Piece, rule: (parser: UrlParser) => Rule<R>, options: TextOptions): R {
  parser ??= new UrlParser();
  const first = piece.text[0];
  if (first === " " || first === "\t") {
    throw syntaxError({ offset: piece.base, found: " ", expected: "no white space here" });
  }
  parser.begin(tokenize(piece, options.mode), piece, options.limits);
  const result = rule(parser).call(parser);
  if (parser.errors.length > 0) throw problem(parser.errors[0], piece);
  return result;
}

function problem(error: IRecognitionException, piece: Piece): Error {
  const { token } = error;
  const end = Number.isNaN(token.startOffset) || token.image === "";
  return syntaxError({
    offset: rawOffset(piece, end ? piece.text.length : token.startOffset),
    found: end ? "" : token.image.trim() === "" ? token.image : token.image.trim(),
    expected: error.message,
  });
}
