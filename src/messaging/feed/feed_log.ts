/**
 * What a feed keeps its events in.
 *
 * @module
 */

import type { FeedBounds, FeedEntry } from "../../service/live/live_data.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";

/** An event that is emitted. */
export type EmittedEvent = Omit<FeedEntry, "position">;

/** Keeps the events of one tenant in the order in which they became visible. */
export interface FeedLog {
  /** Whether other processes may add events. */
  readonly isShared: boolean;
  /** Adds an event within the transaction of its emitter, which commits or forgets it. */
  record(entry: EmittedEvent): MaybePromise<void>;
  /** Gives all committed events their positions. */
  place(): Promise<void>;
  /**
   * The entries behind a position.
   *
   * @param after the position
   * @param limit entries at most
   */
  read(after: number, limit: number): Promise<readonly FeedEntry[]>;
  /** From where on it knows everything. */
  bounds(): Promise<FeedBounds>;
  /** Removes what is too old, and what is more than is to be kept. */
  trim(): Promise<void>;
}

/** How much a log keeps. */
export interface FeedLimits {
  /** Events at most. */
  readonly liveEvents: number;
  /** For how long. */
  readonly liveEventMs: number;
}

/** A position behind which everything is later than now: it outlives logs that lost all they had. */
export function positionOfNow(): number {
  return Date.now() * 1000;
}
