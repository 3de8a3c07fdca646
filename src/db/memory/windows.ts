/**
 * Functions over the rows of a window: `row_number() over (…)`, `sum(a) over (…)`.
 *
 * @module
 */

import type { Call, Expr, Window as WindowClause } from "../../algebra/tree.ts";
import { childrenOf } from "../../algebra/walk_tree.ts";
import type { Aliases, Compiler, Env, Evaluate, Run } from "./evaluation.ts";
import { sorting } from "./sorting.ts";
import { unsupported } from "./unsupported.ts";
import { identity } from "./values.ts";
import { type Frame, frameOf, type Span } from "./window_frame.ts";
import { windowFunction, type WindowRows } from "./window_functions.ts";

/** Values of calls, by their windows: columns are copied, their windows are not. */
type Values = Map<WindowClause | undefined, unknown>;

/**
 * The value of a window function, which was computed before the row is read.
 *
 * @param call the call
 * @param env the row
 */
export function windowValue(call: Call, { $window }: Env): unknown {
  return ($window as Values | undefined)?.get(call.over) ?? null;
}

/**
 * Makes sure that there are no window functions where rows are still chosen.
 *
 * @param clauses conditions and terms of groups
 * @throws {ServiceError} 501 if there are
 */
export function assertNoWindows(clauses: readonly (Expr | undefined)[]): void {
  if (clauses.some((clause) => clause && windowCalls(clause).length > 0)) {
    throw unsupported("windows in conditions and groups");
  }
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
  terms: readonly Expr[],
  aliases: Aliases,
): ((members: readonly Env[], run: Run) => Env[]) | undefined {
  const calls = terms.flatMap(windowCalls);
  if (calls.length === 0) return undefined;
  const windows = calls.map((call) => compileWindow(compiler, call, aliases));
  return (members, run) => {
    const rows = members.map((member): Env => ({ ...member, $window: new Map() }));
    for (const fill of windows) fill(rows, run);
    return rows;
  };
}

function windowCalls(node: Expr): Call[] {
  if (node.kind === "select" || node.kind === "set" || node.kind === "exists") return [];
  return node.kind === "call" && node.over ? [node] : childrenOf(node).flatMap(windowCalls);
}

function compileWindow(
  compiler: Compiler,
  call: Call,
  aliases: Aliases,
): (rows: readonly Env[], run: Run) => void {
  const { partitionBy, orderBy, frame } = call.over!; // the caller has looked for it
  const keys = partitionBy.map((one) => compiler.expression(one, aliases));
  const sort = sorting(compiler, orderBy, aliases);
  const terms = orderBy.map((term) => compiler.expression(term, aliases));
  const args = (call.args ?? []).map((one) => one === "*" ? () => 1 : compiler.expression(one, aliases));
  const valuesOf = windowFunction(call.func.toLowerCase());
  const window = {
    terms,
    args: args.length > 0 ? args : [() => 1],
    frame: frameOf(frame, orderBy.length, orderBy[0]?.sort === "desc"),
  };
  return (rows, run) => {
    for (const group of groups(rows, keys, run)) {
      const sorted = sort ? sort(group, run) : group;
      const values = valuesOf(windowRows(sorted, window, run));
      for (const [at, row] of sorted.entries()) (row.$window as Values).set(call.over, values[at]);
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
