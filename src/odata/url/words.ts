/**
 * Words of OData URLs that mean something in some places: names → tokens.
 *
 * @module
 */

import type { TokenType } from "chevrotain";
import * as T from "./tokens.ts";
import { type CanonicalFunction, knownFunctions } from "../../algebra/functions.ts";

/** The functions by name in the spelling of the standard. */
export const CANONICAL_FUNCTIONS: ReadonlyMap<string, CanonicalFunction> = new Map(
  [...knownFunctions()].flatMap(([key, { odata }]) => odata ? [[odata.name ?? key, odata] as const] : []),
);

/** Query options: names in the spelling of the standard, without `$`, by lower case. */
export const SYSTEM_OPTIONS: ReadonlyMap<string, string> = new Map(
  [
    "apply",
    "at",
    "compute",
    "count",
    "deltatoken",
    "expand",
    "filter",
    "format",
    "from",
    "id",
    "index",
    "orderby",
    "schemaversion",
    "search",
    "select",
    "skip",
    "skiptoken",
    "to",
    "toInclusive",
    "top",
  ].map((name) => [name.toLowerCase(), name]),
);

const BY_LOWER_CASE: ReadonlyMap<string, string> = new Map(
  [...CANONICAL_FUNCTIONS.keys()].map((name) => [name.toLowerCase(), name]),
);

/**
 * Finds a canonical function, whatever the letter case.
 *
 * @param name the name as written
 * @returns the name in the spelling of the standard, if there is such a function
 */
export function canonicalFunction(name: string): string | undefined {
  if (CANONICAL_FUNCTIONS.has(name)) return name;
  return BY_LOWER_CASE.get(name.toLowerCase());
}

interface Entry<V> {
  readonly word: string;
  readonly value: V;
  readonly anyCase: boolean;
}

const LONGEST_WORD = 15;

/** What words stand for. Most other names are told from them by first letter and length alone. */
export class WordTable<V> {
  /** By first letter and length. */
  readonly #entries: (readonly Entry<V>[] | undefined)[] = new Array(formOf(31, LONGEST_WORD) + 1).fill(
    undefined,
  );

  /**
   * @param words words of ASCII letters in this spelling
   * @param ofAnyCase words in lower case, which may be written in any
   */
  constructor(words: Iterable<readonly [string, V]>, ofAnyCase: Iterable<readonly [string, V]> = []) {
    for (const [word, value] of words) this.#add({ word, value, anyCase: false });
    for (const [word, value] of ofAnyCase) this.#add({ word, value, anyCase: true });
  }

  #add(entry: Entry<V>): void {
    const form = formOf(entry.word.charCodeAt(0), entry.word.length);
    this.#entries[form] = [...this.#entries[form] ?? [], entry];
  }

  /**
   * What a word in a text stands for.
   *
   * @param text the text
   * @param start where the word begins
   * @param end where it ends
   * @returns undefined for any other word
   */
  find(text: string, start: number, end: number): V | undefined {
    if (end === start || end - start > LONGEST_WORD) return undefined;
    const entries = this.#entries[formOf(text.charCodeAt(start), end - start)];
    if (entries === undefined) return undefined;
    for (const entry of entries) if (isAt(text, start, entry)) return entry.value;
    return undefined;
  }
}

/** The last five bits of a letter, which its case does not change, and the length. */
function formOf(first: number, length: number): number {
  return (first & 31) * (LONGEST_WORD + 1) + length;
}

function isAt(text: string, start: number, { word, anyCase }: Entry<unknown>): boolean {
  // the sixth bit of a letter is its case
  const letterCase = anyCase ? 0x20 : 0;
  for (let i = 0; i < word.length; i++) {
    if ((text.charCodeAt(start + i) | letterCase) !== word.charCodeAt(i)) return false;
  }
  return true;
}

/** Names that are no names. */
export const NAMES: WordTable<TokenType> = new WordTable(
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
export const CALLS: WordTable<TokenType> = new WordTable(
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
export const DOLLARS: WordTable<TokenType> = new WordTable([
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
export const OPTIONS: WordTable<TokenType> = new WordTable([], [
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

/** Names behind a blank. */
export const OPERATORS: WordTable<TokenType> = new WordTable(
  [
    ["with", T.With],
    ["from", T.From],
  ],
  [
    ...T.OPERATORS.map((operator) => [operator.name, operator] as const),
    ["asc", T.SortDirection],
    ["desc", T.SortDirection],
    ["as", T.As],
  ],
);
