/**
 * Functions over the rows of a window: `row_number() over (…)`, `sum(a) over (…)`.
 *
 * @module
 */

import type { Column, Expression, FunctionExpression, OrderTerm, Xo } from "../../cqn/cqn.ts";
import type { Aliases, Compiler, Env, Evaluate, Run } from "./evaluation.ts";
import { sorting } from "./sorting.ts";
import { unsupported } from "./unsupported.ts";
import { identity } from "./values.ts";
import { type Frame, frameOf, type Span } from "./window_frame.ts";
import { windowFunction, type WindowRows } from "./window_functions.ts";

/** Values of calls, by the tokens of their windows: columns are copied, their tokens are not. */
type Values = Map<FunctionExpression["xpr"], unknown>;

/**
 * The value of a window function, which was computed before the row is read.
 *
 * @param call the call
 * @param env the row
 */
export function windowValue(call: FunctionExpression, { $window }: Env): unknown {
  return ($window as Values | undefined)?.get(call.xpr) ?? null;
}

/**
 * Makes sure that there are no window functions where rows are still chosen.
 *
 * @param clauses conditions and terms of groups
 * @throws {ServiceError} 501 if there are
 */
export function assertNoWindows(clauses: readonly unknown[]): void {
  if (windowCalls(clauses).length > 0) throw unsupported("windows in conditions and groups");
}

/**
 * Compiles the window functions of columns and orders.
 *
 * @param compiler the steps of compiling
 * @param terms the columns and terms of the order
 * @param aliases the sources in reach
 * @returns adds the values to the rows; undefined if there are no such functions
 */
export function compileWindows(
  compiler: Compiler,
  terms: readonly (Column | OrderTerm)[],
  aliases: Aliases,
): ((members: readonly Env[], run: Run) => Env[]) | undefined {
  const calls = windowCalls(terms);
  if (calls.length === 0) return undefined;
  const windows = calls.map((call) => compileWindow(compiler, call, aliases));
  return (members, run) => {
    const rows = members.map((member): Env => ({ ...member, $window: new Map() }));
    for (const fill of windows) fill(rows, run);
    return rows;
  };
}

function windowCalls(node: unknown): FunctionExpression[] {
  if (typeof node !== "object" || node === null || "SELECT" in node || "SET" in node) return [];
  if (Array.isArray(node)) return node.flatMap(windowCalls);
  const call = node as Partial<FunctionExpression> & { readonly list?: unknown };
  if (call.func !== undefined && call.xpr) return [call as FunctionExpression];
  return [call.args, call.xpr, call.list].flatMap(windowCalls);
}

function compileWindow(
  compiler: Compiler,
  call: FunctionExpression,
  aliases: Aliases,
): (rows: readonly Env[], run: Run) => void {
  const { partition, order, frame } = parts(call);
  const keys = partition.map((one) => compiler.expression(one, aliases));
  const sort = sorting(compiler, order, aliases);
  const terms = order.map(({ sort: _sort, nulls: _nulls, ...term }) =>
    compiler.expression(term as Expression, aliases)
  );
  const args = ((call.args ?? []) as readonly (Expression | "*")[]).map((one) =>
    one === "*" ? () => 1 : compiler.expression(one, aliases)
  );
  const valuesOf = windowFunction(call.func.toLowerCase());
  const window = {
    terms,
    args: args.length > 0 ? args : [() => 1],
    frame: frameOf(frame, order.length, order[0]?.sort === "desc"),
  };
  return (rows, run) => {
    for (const group of groups(rows, keys, run)) {
      const sorted = sort ? sort(group, run) : group;
      const values = valuesOf(windowRows(sorted, window, run));
      for (const [at, row] of sorted.entries()) (row.$window as Values).set(call.xpr, values[at]);
    }
  };
}

/** What is compiled of a window. */
interface Window {
  readonly terms: readonly Evaluate[];
  readonly args: readonly Evaluate[];
  readonly frame: Frame;
}

function windowRows(rows: readonly Env[], { terms, args, frame }: Window, run: Run): WindowRows {
  const peers = peersOf(rows, terms, run);
  return {
    length: rows.length,
    frame,
    firstPeer: (at) => peers[at]!.from,
    behindPeers: (at) => peers[at]!.to,
    place: (at) => peers[at]!.place,
    key: (at) => terms[0]?.(rows[at]!, run) ?? null,
    argument: (index, at) => args[index]?.(rows[at]!, run),
  };
}

/** For each row the rows at the same place of the order. */
function peersOf(
  rows: readonly Env[],
  terms: readonly Evaluate[],
  run: Run,
): readonly (Span & { readonly place: number })[] {
  const spans: { from: number; to: number; place: number }[] = [];
  let known: unknown;
  for (const [at, row] of rows.entries()) {
    const place = identity(terms.map((term) => term(row, run)));
    const last = spans.at(-1);
    if (last && place === known) {
      last.to++;
      spans.push(last);
    } else spans.push({ from: at, to: at + 1, place: (last?.place ?? -1) + 1 });
    known = place;
  }
  return spans;
}

function groups(rows: readonly Env[], keys: readonly Evaluate[], run: Run): Iterable<readonly Env[]> {
  return Map.groupBy(rows, (row) => identity(keys.map((key) => key(row, run)))).values();
}

/** `over (partition by … order by … rows …)`. */
function parts({ xpr = [] }: FunctionExpression): {
  readonly partition: readonly Expression[];
  readonly order: readonly OrderTerm[];
  readonly frame: readonly Xo[];
} {
  const [, inside] = xpr;
  const tokens = typeof inside === "object" && "xpr" in inside ? inside.xpr ?? [] : [];
  const framed = tokens.findIndex((token) => token === "rows" || token === "range");
  const end = framed < 0 ? tokens.length : framed;
  const ordered = tokens.indexOf("order");
  const partition = tokens.slice(0, ordered < 0 ? end : ordered).filter((token) => typeof token === "object");
  const order: OrderTerm[] = [];
  for (const token of ordered < 0 ? [] : tokens.slice(ordered, end)) applyToken(order, token);
  return { partition, order, frame: tokens.slice(end) };
}

function applyToken(order: OrderTerm[], token: Xo): void {
  if (typeof token === "object") order.push(token);
  const last = order.at(-1);
  if (last === undefined) return;
  if (token === "asc" || token === "desc") order[order.length - 1] = { ...last, sort: token };
  if (token === "first" || token === "last") order[order.length - 1] = { ...last, nulls: token };
}
