/**
 * CDL text to syntax tree.
 *
 * @module
 */

import type { IToken } from "chevrotain";
import { lexText, sourceText } from "../../cqn/grammar/lexer.ts";
import { syntaxError } from "../../cqn/parse_cql.ts";
import type { AstFile } from "./ast.ts";
import { CdlParser } from "./cdl_parser.ts";
import { cdlKeywordTable } from "./tokens.ts";

let parser: CdlParser | undefined;

/** Settings of the parser. */
export interface ParseOptions {
  /** Keep doc comments as `doc` of definitions and elements. */
  readonly docs?: boolean;
}

/**
 * Parses the text of one file.
 *
 * @param text the text
 * @param file its name, for messages
 * @param options whether doc comments are kept
 * @returns the tree, with names as written
 * @throws {ConfigurationError} at the first syntax error
 */
export function parseCdlText(text: string, file: string, options: ParseOptions = {}): AstFile {
  const source = sourceText(text, file);
  const { tokens, docComments } = lexText(source, cdlKeywordTable());
  const cdl = parser ??= new CdlParser();
  cdl.source = source;
  cdl.docComments = options.docs ? docsByFollowingToken(docComments, tokens) : undefined;
  cdl.input = tokens;
  const result = cdl.cdlFile();
  if (cdl.errors.length > 0) throw syntaxError(source, cdl.errors[0]);
  return result;
}

function docsByFollowingToken(
  comments: readonly IToken[],
  tokens: readonly IToken[],
): ReadonlyMap<number, string> {
  const docs = new Map<number, string>();
  let i = 0;
  for (const comment of comments) {
    while (i < tokens.length && tokens[i].startOffset < comment.startOffset) i++;
    if (i < tokens.length) docs.set(tokens[i].startOffset, docText(comment.image));
  }
  return docs;
}

function docText(image: string): string {
  const lines = image.slice(3, -2).split(/\r?\n/).map((line) => line.replace(/^\s*\*?\s?/, "").trimEnd());
  return lines.map((line) => line.trim()).join("\n").trim();
}
