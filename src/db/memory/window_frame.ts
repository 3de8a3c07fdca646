/**
 * Frames of windows: the rows around a row that a function sees.
 *
 * @module
 */

import type { FrameEnd, Literal, WindowFrame } from "../../algebra/tree.ts";
import { unsupported } from "./unsupported.ts";
import { compare } from "./values.ts";

/** The rows of a partition in their order. */
export interface Partition {
  readonly length: number;
  /** The first row at the same place of the order as a row. */
  firstPeer(at: number): number;
  /** The row behind the last one at the same place. */
  behindPeers(at: number): number;
  /** The value of the only term of the order. */
  key(at: number): unknown;
}

/** The first row of a frame, and the one behind its last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The frame of a row. */
export type Frame = (rows: Partition, at: number) => Span;

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
export function frameOf(frame: WindowFrame | undefined, terms: number, isDescending: boolean): Frame {
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
