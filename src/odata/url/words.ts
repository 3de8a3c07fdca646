/**
 * Words of OData URLs that mean something in some places: names → tokens.
 *
 * @module
 */

import type { TokenType } from "chevrotain";
import * as T from "./tokens.ts";
import { WordTable } from "./word_table.ts";

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
