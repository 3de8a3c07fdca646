/**
 * Functions over the rows in an order, and the cuts that need them: `topsum` and its relatives, and all cuts inside of
 * groups (Data Aggregation 4.0, 3.3.1).
 *
 * @module
 */

import type { Column, Expression, OrderTerm, Xo } from "../../../cqn/cqn.ts";
import { type Key, keyValue } from "./grouping.ts";
import {
  asColumn,
  derived,
  keyIn,
  keyNames,
  numeral,
  type Rows,
  settled,
  type State,
  type Table,
  tableOf,
  uncut,
} from "./state.ts";
import { conjunction } from "../../../cqn/conjunction.ts";

/** Which rows a function looks at, and in which order. */
export interface Window {
  readonly partition?: readonly Expression[];
  readonly order?: readonly OrderTerm[];
}

/**
 * A function over the rows of a window up to the one at hand.
 *
 * @param func its name
 * @param args its arguments
 * @param window the rows
 * @returns the call
 */
export function overRows(func: string, args: readonly Expression[], window: Window): Expression {
  const { partition = [], order = [] } = window;
  const tokens: Xo[] = [];
  if (partition.length > 0) tokens.push("partition", "by", ...listed(partition));
  if (order.length > 0) tokens.push("order", "by", ...order.flatMap(orderTokens));
  return { func, args, xpr: ["over", { xpr: tokens }] } as Expression;
}

function listed(expressions: readonly Expression[]): Xo[] {
  return expressions.flatMap((one, index): Xo[] => index === 0 ? [one] : [",", one]);
}

/** Null is the lowest value on all engines. */
function orderTokens({ sort = "asc", nulls, ...term }: OrderTerm, index: number): Xo[] {
  const isLast = nulls === undefined ? sort === "desc" : nulls === "last";
  const value = term as Expression;
  const [isNull, other] = isLast ? [1, 0] : [0, 1];
  const place: Expression = {
    xpr: ["case", "when", value, "is", "null", "then", numeral(isNull), "else", numeral(other), "end"],
  };
  return [...(index === 0 ? [] : [","]), place, ",", value, sort];
}

/** The order of the rows of a state, so that no two are at the same place. */
export function orderOf(
  state: State,
  first: readonly OrderTerm[] = state.orderBy ?? [],
): readonly OrderTerm[] {
  return [...first, ...keyExpressions(state).map((key): OrderTerm => ({ ...key, sort: "asc" }))];
}

function keyExpressions(state: State): readonly Expression[] {
  if (state.kind === "rows") return keyNames(state).map((name) => ({ ref: [name] }));
  const { keys, properties } = state;
  return properties.filter(({ name }) => keys.includes(name)).map(({ value }) => value.expr);
}

/** What is kept of the rows of each group. */
export interface WindowCut {
  readonly keys: readonly Key[];
  /** Columns computed over the rows, by name. */
  readonly columns: (state: State, partition: readonly Expression[]) => Readonly<Record<string, Expression>>;
  /** The condition on these columns. */
  readonly where: readonly Xo[];
}

/**
 * Keeps rows by what functions over all rows say.
 *
 * @param given the rows
 * @param cut what is computed and kept
 * @returns the rows that are kept
 */
export function cutByWindow(given: State, cut: WindowCut): State {
  const whole = settled(uncut(given));
  const state = whole.kind === "rows" && keyNames(whole).length === 0 ? derived(tableOf(whole)) : whole;
  return state.kind === "rows" ? cutInstances(state, cut) : cutTable(state, cut);
}

function windowColumns(state: State, { keys, columns }: WindowCut): Column[] {
  const partition = keys.map((key) => keyValue(key, state).expr);
  return Object.entries(columns(state, partition)).map(([name, expr]) => asColumn(expr, name));
}

function cutInstances(state: Rows, cut: WindowCut): Rows {
  const { from, where, search } = state;
  const names = keyNames(state);
  const keys: Column[] = names.map((name) => ({ ref: [name] }));
  const columns = [...keys, ...windowColumns(state, cut)];
  const rows = { SELECT: { from, columns, ...(where && { where }), ...(search && { search }) } };
  const kept = keyIn(names, { SELECT: { from: rows, columns: keys, where: cut.where } });
  const { search: _search, ...others } = state;
  return { ...others, where: conjunction(where, kept) };
}

function cutTable(state: Table, cut: WindowCut): Table {
  const columns = windowColumns(state, cut);
  const rows = derived({ ...state, hidden: [...columns, ...state.hidden ?? []] });
  return { ...rows, hidden: rows.hidden!.slice(columns.length), where: cut.where };
}
