/**
 * Functions over the rows of a window: `row_number() over (…)`, `sum(a) over (…)`.
 *
 * @module
 */

import type { Column, Expression, FunctionExpression, OrderTerm, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { AGGREGATES } from "./aggregates.ts";
import type { Aliases, Compiler, Env, Evaluate, Run } from "./evaluation.ts";
import { sorting } from "./sorting.ts";
import { identity } from "./values.ts";

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
 * Compiles the window functions of a column list.
 *
 * @param compiler the steps of compiling
 * @param columns the columns
 * @param aliases the sources in reach
 * @returns adds the values to the rows; undefined if there are no such functions
 */
export function compileWindows(
  compiler: Compiler,
  columns: readonly Column[] | undefined,
  aliases: Aliases,
): ((members: readonly Env[], run: Run) => Env[]) | undefined {
  const calls = windowCalls(columns ?? []);
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
  const { partition, order } = parts(call);
  const keys = partition.map((one) => compiler.expression(one, aliases));
  const sort = sorting(compiler, order, aliases);
  const terms = order.map(({ sort: _sort, nulls: _nulls, ...term }) =>
    compiler.expression(term as Expression, aliases)
  );
  const [argument] = (call.args ?? []) as readonly (Expression | "*")[];
  const value = argument === undefined || argument === "*" ? () => 1 : compiler.expression(argument, aliases);
  const run = compileRun(call.func.toLowerCase(), value, terms);
  return (rows, of) => {
    for (const group of groups(rows, keys, of)) {
      const values = run(sort ? sort(group, of) : group, of);
      for (const [row, one] of values) (row.$window as Values).set(call.xpr, one);
    }
  };
}

type RunWindow = (rows: readonly Env[], run: Run) => ReadonlyMap<Env, unknown>;

function compileRun(name: string, value: Evaluate, terms: readonly Evaluate[]): RunWindow {
  if (name === "row_number") return (rows) => new Map(rows.map((row, index) => [row, index + 1]));
  const aggregate = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name] : undefined;
  if (!aggregate) {
    throw new ServiceError({
      status: 501,
      message: `The memory database does not support ${name} over a window`,
    });
  }
  return (rows, run) => {
    const result = new Map<Env, unknown>();
    let before: unknown[] = [];
    // rows at the same place of the order see each other
    for (const peers of peersOf(rows, terms, run)) {
      const values = [...before, ...peers.map((row) => value(row, run)).filter((one) => one !== null)];
      const current = aggregate(values);
      for (const row of peers) result.set(row, current);
      before = DECOMPOSABLE.has(name) && current !== null ? [current] : values;
    }
    return result;
  };
}

/** Functions whose value so far stands for all values before. */
const DECOMPOSABLE: ReadonlySet<string> = new Set(["sum", "$decimal_sum", "min", "max"]);

function peersOf(rows: readonly Env[], terms: readonly Evaluate[], run: Run): readonly Env[][] {
  const result: Env[][] = [];
  let place: unknown;
  for (const row of rows) {
    const next = identity(terms.map((term) => term(row, run)));
    if (result.length > 0 && next === place) result.at(-1)!.push(row);
    else result.push([row]);
    place = next;
  }
  return result;
}

function groups(rows: readonly Env[], keys: readonly Evaluate[], run: Run): Iterable<readonly Env[]> {
  return Map.groupBy(rows, (row) => identity(keys.map((key) => key(row, run)))).values();
}

/** `over (partition by … order by …)`. */
function parts({ xpr = [] }: FunctionExpression): {
  readonly partition: readonly Expression[];
  readonly order: readonly OrderTerm[];
} {
  const [, inside] = xpr;
  const tokens = typeof inside === "object" && "xpr" in inside ? inside.xpr ?? [] : [];
  if (tokens.includes("rows") || tokens.includes("range")) {
    throw new ServiceError({
      status: 501,
      message: "The memory database does not support frames of windows",
    });
  }
  const at = tokens.indexOf("order");
  const end = at < 0 ? tokens.length : at;
  const partition = tokens.slice(0, end).filter((token) => typeof token === "object");
  const order: OrderTerm[] = [];
  for (const token of tokens.slice(end)) applyToken(order, token);
  return { partition, order };
}

function applyToken(order: OrderTerm[], token: Xo): void {
  if (typeof token === "object") order.push(token);
  const last = order.at(-1);
  if (last === undefined) return;
  if (token === "asc" || token === "desc") order[order.length - 1] = { ...last, sort: token };
  if (token === "first" || token === "last") order[order.length - 1] = { ...last, nulls: token };
}
