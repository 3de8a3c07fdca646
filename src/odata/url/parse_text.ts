/**
 * One piece of a URL → tree, with the error of the first place that does not fit.
 *
 * @module
 */

import type { Limits } from "../../config/limits.ts";
import { type LexerMode, tokenize } from "./lexer.ts";
import type { Piece } from "./split_url.ts";
import { syntaxError } from "./syntax_error.ts";
import { UrlParser } from "./url_parser.ts";

/** Made by the first URL: its analysis of the grammar takes milliseconds. */
let instance: UrlParser | undefined;

/** How a piece is read. */
export interface TextOptions {
  readonly mode: LexerMode;
  readonly limits: Limits;
}

/**
 * Parses the text of a piece.
 *
 * @param piece the text
 * @param read calls the production that must match all of it
 * @param options lexer mode and limits
 * @returns what the production makes of it
 * @throws {ServiceError} 400 if it does not match
 */
export function parseText<R>(piece: Piece, read: (parser: UrlParser) => R, options: TextOptions): R {
  const first = piece.text.charCodeAt(0);
  if (first === 0x20 || first === 0x09) {
    throw syntaxError({ offset: piece.base, found: " ", expected: "no white space here" });
  }
  const parser = instance ??= new UrlParser();
  parser.begin(piece, tokenize(piece, options.mode), options.limits);
  const result = read(parser);
  parser.end();
  return result;
}
