/**
 * Words of OData URLs that mean something in some places: names → tokens.
 *
 * @module
 */

import type { TokenType } from "chevrotain";
import * as T from "./tokens.ts";

/** Words and their tokens. */
type Entries = readonly (readonly [word: string, type: TokenType])[];

const LONGEST_WORD = 15;

/** Finds the token of a word. Most names are told from words by their first letter and length alone. */
class WordTable {
  readonly #words: ReadonlyMap<string, TokenType>;
  readonly #ofAnyCase: ReadonlyMap<string, TokenType>;
  /** By the last five bits of the first letter, which its case does not change, and the length: whether there are words. */
  readonly #forms = new Uint8Array(32 * (LONGEST_WORD + 1));

  /**
   * @param words words in this spelling
   * @param ofAnyCase words in lower case, which may be written in any
   */
  constructor(words: Entries, ofAnyCase: Entries = []) {
    this.#words = new Map([...words, ...ofAnyCase]);
    this.#ofAnyCase = new Map(ofAnyCase);
    for (const word of this.#words.keys()) this.#forms[formOf(word.charCodeAt(0), word.length)] = 1;
  }

  /**
   * The token of a word in a text.
   *
   * @param text the text
   * @param start where the word begins
   * @param end where it ends
   * @returns undefined for any other name
   */
  find(text: string, start: number, end: number): TokenType | undefined {
    const length = end - start;
    if (length > LONGEST_WORD || this.#forms[formOf(text.charCodeAt(start), length)] === 0) return undefined;
    const word = text.slice(start, end);
    return this.#words.get(word) ?? this.#ofAnyCase.get(word.toLowerCase());
  }
}

function formOf(first: number, length: number): number {
  return (first & 31) * (LONGEST_WORD + 1) + length;
}

/** Names that are no names. */
export const NAMES: WordTable = new WordTable(
  [
    ["null", T.WordLiteral],
    ["INF", T.WordLiteral],
    ["NaN", T.WordLiteral],
    ["identity", T.Identity],
  ],
  [
    ["true", T.WordLiteral],
    ["false", T.WordLiteral],
    ["not", T.Not],
  ],
);

/** Names before `(`. */
export const CALLS: WordTable = new WordTable(
  [
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
  ],
  [
    ["any", T.LambdaCall],
    ["all", T.LambdaCall],
    ["case", T.CaseCall],
    ["cast", T.CastCall],
    ["isof", T.CastCall],
    ["not", T.Not],
  ],
);

/** Names behind `$`. */
export const DOLLARS: WordTable = new WordTable([
  ["it", T.DollarRoot],
  ["this", T.DollarRoot],
  ["root", T.DollarRoot],
  ["these", T.DollarRoot],
  ["count", T.DollarCount],
  ["filter", T.DollarFilter],
  ["ref", T.DollarRef],
  ["value", T.DollarValue],
]);

/** Names before `=`. */
export const OPTIONS: WordTable = new WordTable([], [
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

const BINARY = [
  "and",
  "or",
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "has",
  "in",
  "add",
  "sub",
  "mul",
  "div",
  "divby",
  "mod",
];

/** Names behind a blank. */
export const OPERATORS: WordTable = new WordTable(
  [
    ["with", T.With],
    ["from", T.From],
  ],
  [
    ...BINARY.map((name) => [name, T.BinaryOp] as const),
    ["asc", T.SortDirection],
    ["desc", T.SortDirection],
    ["as", T.As],
  ],
);
