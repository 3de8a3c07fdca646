/**
 * What a feed keeps its events in.
 *
 * @module
 */

import type { FeedBounds, FeedEntry } from "../../service/live/live_data.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { currentContext } from "../../context/store.ts";
import { transactionOf } from "../../service/transactions/transaction.ts";

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

/** Removed entries leave the list when they are this part of it. */
const LEAVING = 1 / 8;

/** The events of one tenant in this process. */
export class MemoryLog implements FeedLog {
  readonly isShared = false;
  readonly #limits: FeedLimits;
  readonly #entries: (FeedEntry & { readonly at: number })[] = [];
  /** How many of them are removed: they leave the list together, as each time all others move. */
  #gone = 0;
  #removed: number = positionOfNow();
  #last: number = this.#removed;

  /** @param limits how much is kept */
  constructor(limits: FeedLimits) {
    this.#limits = limits;
  }

  record(entry: EmittedEvent): void {
    const keep = () => {
      this.#last = Math.max(this.#last + 1, positionOfNow());
      this.#entries.push({ ...entry, position: this.#last, at: Date.now() });
      if (this.#kept() > this.#limits.liveEvents) this.#trim();
    };
    const transaction = transactionOf(currentContext());
    if (transaction) transaction.afterCommit(keep);
    else keep();
  }

  place(): Promise<void> {
    return Promise.resolve();
  }

  read(after: number, limit: number): Promise<readonly FeedEntry[]> {
    let first = this.#entries.length;
    while (first > this.#gone && this.#entries[first - 1]!.position > after) first--;
    return Promise.resolve(this.#entries.slice(first, first + limit));
  }

  bounds(): Promise<FeedBounds> {
    return Promise.resolve({ removed: this.#removed, last: this.#last });
  }

  trim(): Promise<void> {
    this.#trim();
    return Promise.resolve();
  }

  #kept(): number {
    return this.#entries.length - this.#gone;
  }

  #trim(): void {
    const { liveEvents, liveEventMs } = this.#limits;
    const before = Date.now() - liveEventMs;
    const first = this.#gone;
    let gone = Math.max(first, this.#entries.length - liveEvents);
    while (gone < this.#entries.length && this.#entries[gone]!.at < before) gone++;
    if (gone === first) return;
    this.#removed = this.#entries[gone - 1]!.position;
    const areMany = gone > this.#entries.length * LEAVING;
    if (areMany) this.#entries.splice(0, gone);
    this.#gone = areMany ? 0 : gone;
  }
}
