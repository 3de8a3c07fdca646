/**
 * Functions over the rows of a window: `row_number() over (…)`, `sum(a) over (…)`.
 *
 * @module
 */

import type {
  Call,
  Expr,
  FrameEnd,
  Literal,
  Window as WindowClause,
  WindowFrame,
} from "../../algebra/tree.ts";
import { childrenOf } from "../../algebra/walk_tree.ts";
import type { Compiler, Env, Evaluate, Run } from "./evaluation.ts";
import { compare, identity, sorting, unsupported } from "./values.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { type Aggregate, aggregateOf } from "./aggregates.ts";

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
 * @returns adds the values to the rows; undefined if there are no such functions
 */
export function compileWindows(
  compiler: Compiler,
  terms: readonly Expr[],
): ((members: readonly Env[], run: Run) => Env[]) | undefined {
  const calls = terms.flatMap(windowCalls);
  if (calls.length === 0) return undefined;
  const windows = calls.map((call) => compileWindow(compiler, call));
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

function compileWindow(compiler: Compiler, call: Call): (rows: readonly Env[], run: Run) => void {
  const { partitionBy, orderBy, frame } = call.over!; // the caller has looked for it
  const keys = partitionBy.map(compiler.expression);
  const sort = sorting(compiler, orderBy);
  const terms = orderBy.map(compiler.expression);
  const args = (call.args ?? []).map((one) => one === "*" ? () => 1 : compiler.expression(one));
  const valuesOf = windowFunction(call);
  const window = {
    terms,
    args,
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

/** A partition with the arguments of a function. */
interface WindowRows extends Partition {
  /** An argument for a row; undefined without it. */
  argument(index: number, at: number): unknown;
  /** The place of a row among those that differ in the order, from 0 on. */
  place(at: number): number;
  readonly frame: Frame;
}

/** The values of a function for all rows of a partition. */
type WindowFunction = (rows: WindowRows) => readonly unknown[];

function perRow(value: (rows: WindowRows, at: number) => unknown): WindowFunction {
  return (rows) => Array.from({ length: rows.length }, (_, at) => value(rows, at));
}

/** `lag` and `lead`: the value of a row some rows away, or what is given in place of it. */
function neighbour(direction: 1 | -1): WindowFunction {
  return perRow((rows, at) => {
    const distance = rows.argument(1, at);
    if (distance === null) return null;
    const other = at + direction * Number(distance ?? 1);
    return other >= 0 && other < rows.length ? rows.argument(0, other) : rows.argument(2, at) ?? null;
  });
}

function inFrame(place: (span: Span, rows: WindowRows, at: number) => number): WindowFunction {
  return perRow((rows, at) => {
    const span = rows.frame(rows, at);
    const found = place(span, rows, at);
    return found >= span.from && found < span.to ? rows.argument(0, found) : null;
  });
}

/** What is asked of a partition as a whole: the value for its first row. */
function position(rows: WindowRows, index: number): number | null {
  const given = rows.argument(index, 0);
  if (given === null) return null;
  if (Number(given) >= 1) return Number(given);
  throw new ServiceError({ status: 400, message: "Parts and places in a window are counted from 1 on" });
}

/** Rows are divided into parts of the same size, the first ones one larger where that does not work out. */
function part(rows: WindowRows, at: number): unknown {
  const parts = position(rows, 0);
  if (parts === null) return null;
  const [size, larger] = [Math.floor(rows.length / parts), rows.length % parts];
  const inLarger = larger * (size + 1);
  return at < inLarger ? Math.floor(at / (size + 1)) + 1 : larger + Math.floor((at - inLarger) / size) + 1;
}

const FUNCTIONS: Readonly<Record<string, WindowFunction>> = {
  row_number: perRow((_rows, at) => at + 1),
  rank: perRow((rows, at) => rows.firstPeer(at) + 1),
  dense_rank: perRow((rows, at) => rows.place(at) + 1),
  percent_rank: perRow((rows, at) => rows.length === 1 ? 0 : rows.firstPeer(at) / (rows.length - 1)),
  cume_dist: perRow((rows, at) => rows.behindPeers(at) / rows.length),
  ntile: perRow(part),
  lag: neighbour(-1),
  lead: neighbour(1),
  first_value: inFrame(({ from }) => from),
  last_value: inFrame(({ to }) => to - 1),
  nth_value: inFrame(({ from }, rows) => from + (position(rows, 1) ?? Infinity) - 1),
};

/**
 * A function of windows.
 *
 * @param call the call
 * @throws {ServiceError} 501 for one that there is not
 */
function windowFunction(call: Call): WindowFunction {
  const name = call.func.toLowerCase();
  if (Object.hasOwn(FUNCTIONS, name)) return FUNCTIONS[name];
  const create = aggregateOf(call);
  if (create && name !== "countdistinct") return aggregated(create);
  throw unsupported(`${name} over a window`);
}

/** An aggregate of the frame of each row: a frame that goes on behind the one before takes its values along. */
function aggregated(create: () => Aggregate): WindowFunction {
  return (rows) => {
    const values = Array.from({ length: rows.length }, (_, at) => rows.argument(0, at));
    let last: Span = { from: 0, to: 0 };
    let aggregate = create();
    return values.map((_value, at) => {
      const span = rows.frame(rows, at);
      const goesOn = span.from === last.from && span.to >= last.to;
      if (!goesOn) aggregate = create();
      for (let other = goesOn ? last.to : span.from; other < span.to; other++) {
        if (values[other] !== null) aggregate.add(values[other]);
      }
      last = span;
      return aggregate.value;
    });
  };
}

/** The rows of a partition in their order. */
interface Partition {
  readonly length: number;
  /** The first row at the same place of the order as a row. */
  firstPeer(at: number): number;
  /** The row behind the last one at the same place. */
  behindPeers(at: number): number;
  /** The value of the only term of the order. */
  key(at: number): unknown;
}

/** The first row of a frame, and the one behind its last. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The frame of a row. */
type Frame = (rows: Partition, at: number) => Span;

/** How a frame is measured. */
interface Measure {
  /** By rows, not by values of the order. */
  readonly isRows: boolean;
  readonly isDescending: boolean;
}

/** An end of a frame: how far it is from the row, in the direction of the order. */
type Bound = number | "unbounded preceding" | "unbounded following";

/**
 * The frame of a window.
 *
 * @param frame what stands behind the order: `rows between 1 preceding and current row`, or nothing
 * @param terms number of terms of the order
 * @param isDescending whether the first of them is
 * @throws {ServiceError} 501 for distances of values without one order
 */
function frameOf(frame: WindowFrame | undefined, terms: number, isDescending: boolean): Frame {
  if (frame === undefined) return (rows, at) => ({ from: 0, to: rows.behindPeers(at) });
  const start = boundOf(frame.from);
  const end = frame.to ? boundOf(frame.to) : 0;
  const isRows = frame.measure === "rows";
  const hasDistance = [start, end].some((bound) => typeof bound === "number" && bound !== 0);
  if (!isRows && hasDistance && terms !== 1) {
    throw unsupported("distances in an order of several terms");
  }
  const of: Measure = { isRows, isDescending };
  return (rows, at) => {
    const from = edgeOf(rows, at, { ...of, bound: start, isEnd: false });
    return { from, to: Math.max(edgeOf(rows, at, { ...of, bound: end, isEnd: true }), from) };
  };
}

function boundOf(end: FrameEnd): Bound {
  if (end.end === "current") return 0;
  if (!end.distance) return `unbounded ${end.end}`;
  const distance = Number((end.distance as Literal).val); // the grammar takes numbers only
  return end.end === "preceding" ? -distance : distance;
}

interface Edge extends Measure {
  readonly bound: Bound;
  readonly isEnd: boolean;
}

function edgeOf(rows: Partition, at: number, { bound, isEnd, isRows, isDescending }: Edge): number {
  if (bound === "unbounded preceding") return 0;
  if (bound === "unbounded following") return rows.length;
  if (isRows) return Math.min(Math.max(at + bound + Number(isEnd), 0), rows.length);
  const key = rows.key(at);
  if (bound === 0 || key === null) return isEnd ? rows.behindPeers(at) : rows.firstPeer(at);
  const limit = Number(key) + (isDescending ? -bound : bound);
  return firstBeyond(rows, isEnd, (value) => compare(value, limit) * (isDescending ? -1 : 1));
}

/** The first row at a limit or behind it; of the end of a frame the row behind the last that is not beyond. */
function firstBeyond(rows: Partition, isEnd: boolean, order: (value: unknown) => number): number {
  let found = isEnd ? 0 : rows.length;
  for (let at = 0; at < rows.length; at++) {
    const value = rows.key(at);
    if (value === null) continue;
    if (isEnd && order(value) <= 0) found = at + 1;
    if (!isEnd && order(value) >= 0) return at;
  }
  return found;
}
