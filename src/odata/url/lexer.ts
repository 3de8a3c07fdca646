/**
 * Text of a path argument or query option → tokens.
 *
 * @module
 */

import { type IToken, Lexer, type TokenType } from "chevrotain";
import { type Piece, rawOffset } from "./split_url.ts";
import { syntaxError } from "./syntax_error.ts";
import * as T from "./tokens.ts";

/** What the text is read as. */
export type LexerMode = "expression" | "path" | "search";

const WORDS: ReadonlyMap<string, TokenType> = new Map([
  ["null", T.WordLiteral],
  ["INF", T.WordLiteral],
  ["NaN", T.WordLiteral],
  ["identity", T.Identity],
]);
// `not`, `true` and `false` are written in any letter case.
const WORDS_OF_ANY_CASE: ReadonlyMap<string, TokenType> = new Map([
  ["true", T.WordLiteral],
  ["false", T.WordLiteral],
  ["not", T.Not],
]);
const CALLS: ReadonlyMap<string, TokenType> = new Map([
  ["aggregate", T.AggregateCall],
  ["compute", T.ComputeCall],
  ["concat", T.ConcatCall],
  ["groupby", T.GroupbyCall],
  ["filter", T.FilterCall],
  ["orderby", T.OrderbyCall],
  ["top", T.TopSkipCall],
  ["skip", T.TopSkipCall],
  ["topcount", T.TopBottomCall],
  ["topsum", T.TopBottomCall],
  ["toppercent", T.TopBottomCall],
  ["bottomcount", T.TopBottomCall],
  ["bottomsum", T.TopBottomCall],
  ["bottompercent", T.TopBottomCall],
  ["nest", T.NestCall],
  ["addnested", T.AddnestedCall],
  ["join", T.JoinCall],
  ["outerjoin", T.JoinCall],
  ["ancestors", T.AncestorsCall],
  ["descendants", T.AncestorsCall],
  ["traverse", T.TraverseCall],
  ["rollup", T.RollupCall],
  ["rolluprecursive", T.RollupRecursiveCall],
]);
const CALLS_OF_ANY_CASE: ReadonlyMap<string, TokenType> = new Map([
  ["any", T.LambdaCall],
  ["all", T.LambdaCall],
  ["case", T.CaseCall],
  ["cast", T.CastCall],
  ["isof", T.CastCall],
  ["not", T.Not],
]);
const DOLLARS: ReadonlyMap<string, TokenType> = new Map([
  ["$it", T.DollarRoot],
  ["$this", T.DollarRoot],
  ["$root", T.DollarRoot],
  ["$these", T.DollarRoot],
  ["$count", T.DollarCount],
  ["$filter", T.DollarFilter],
  ["$ref", T.DollarRef],
  ["$value", T.DollarValue],
]);
const OPTIONS: ReadonlyMap<string, TokenType> = new Map([
  ["filter", T.FilterEq],
  ["search", T.SearchQuotedEq],
  ["orderby", T.OrderbyEq],
  ["select", T.SelectEq],
  ["expand", T.ExpandEq],
  ["compute", T.ComputeEq],
  ["apply", T.ApplyEq],
  ["top", T.TopSkipEq],
  ["skip", T.TopSkipEq],
  ["count", T.CountEq],
  ["levels", T.LevelsEq],
  ["at", T.TemporalEq],
  ["from", T.TemporalEq],
  ["to", T.TemporalEq],
  ["toinclusive", T.TemporalEq],
]);

let lexer: Lexer | undefined;

function createLexer(): Lexer {
  return new Lexer({ modes: LEXER_MODES_COPY(), defaultMode: "expression" }, {
    positionTracking: "onlyOffset",
    skipValidations: true,
    ensureOptimizations: false,
  });
}

/** Chevrotain keeps the arrays it is given. */
function LEXER_MODES_COPY(): Record<string, TokenType[]> {
  return { ...T.LEXER_MODES };
}

/**
 * Cuts the text of a piece into tokens.
 *
 * @param piece the decoded text
 * @param mode what it is read as
 * @returns the tokens, words told apart
 * @throws {ServiceError} 400 where no token begins
 */
export function tokenize(piece: Piece, mode: LexerMode): IToken[] {
  lexer ??= createLexer();
  const { tokens, errors } = lexer.tokenize(piece.text, mode);
  if (errors.length > 0) {
    const { offset } = errors[0];
    throw syntaxError({
      offset: rawOffset(piece, offset),
      found: piece.text.slice(offset),
      expected: piece.text[offset] === "'" || piece.text[offset] === '"'
        ? "a closing quote"
        : "a name, literal or operator",
    });
  }
  for (const token of tokens) tellApart(token);
  return tokens;
}

function tellApart(token: IToken): void {
  const type = wordType(token);
  if (type === undefined) return;
  token.tokenType = type;
  token.tokenTypeIdx = type.tokenTypeIdx!;
}

function wordType(token: IToken): TokenType | undefined {
  const { image, tokenType } = token;
  switch (tokenType) {
    case T.QName:
      return WORDS.get(image) ?? (image.length <= 5 ? WORDS_OF_ANY_CASE.get(image.toLowerCase()) : undefined);
    case T.CallName:
      return CALLS.get(image) ?? (image.length <= 4 ? CALLS_OF_ANY_CASE.get(image.toLowerCase()) : undefined);
    case T.DollarName:
      return DOLLARS.get(image);
    case T.NameEq:
      return OPTIONS.get(image.slice(image[0] === "$" ? 1 : 0, -1).toLowerCase());
    default:
      return undefined;
  }
}
