/**
 * Functions of the rows of a window: places, neighbours, values of frames, aggregates.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { AGGREGATES } from "./aggregates.ts";
import { unsupported } from "./unsupported.ts";
import type { Frame, Partition, Span } from "./window_frame.ts";

/** A partition with the arguments of a function. */
export interface WindowRows extends Partition {
  /** An argument for a row; undefined without it. */
  argument(index: number, at: number): unknown;
  /** The place of a row among those that differ in the order, from 0 on. */
  place(at: number): number;
  readonly frame: Frame;
}

/** The values of a function for all rows of a partition. */
export type WindowFunction = (rows: WindowRows) => readonly unknown[];

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
 * @param name its name, in lower case
 * @throws {ServiceError} 501 for one that there is not
 */
export function windowFunction(name: string): WindowFunction {
  if (Object.hasOwn(FUNCTIONS, name)) return FUNCTIONS[name];
  if (Object.hasOwn(AGGREGATES, name) && name !== "countdistinct") return aggregated(name);
  throw unsupported(`${name} over a window`);
}

/** An aggregate of the frame of each row: a frame that goes on behind the one before takes its values along. */
function aggregated(name: string): WindowFunction {
  const create = AGGREGATES[name];
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
