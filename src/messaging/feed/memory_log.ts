/**
 * Events that clients may still ask for, in this process: where no database keeps them.
 *
 * @module
 */

import { currentContext } from "../../context/store.ts";
import type { FeedBounds, FeedEntry } from "../../service/live/live_data.ts";
import { transactionOf } from "../../service/transactions/transaction.ts";
import { type EmittedEvent, type FeedLimits, type FeedLog, positionOfNow } from "./feed_log.ts";

/** The events of one tenant in this process. */
export class MemoryLog implements FeedLog {
  readonly isShared = false;
  readonly #limits: FeedLimits;
  readonly #entries: (FeedEntry & { readonly at: number })[] = [];
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
      if (this.#entries.length > this.#limits.liveEvents) this.#trim();
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
    while (first > 0 && this.#entries[first - 1]!.position > after) first--;
    return Promise.resolve(this.#entries.slice(first, first + limit));
  }

  bounds(): Promise<FeedBounds> {
    return Promise.resolve({ removed: this.#removed, last: this.#last });
  }

  trim(): Promise<void> {
    this.#trim();
    return Promise.resolve();
  }

  #trim(): void {
    const { liveEvents, liveEventMs } = this.#limits;
    const before = Date.now() - liveEventMs;
    let count = Math.max(0, this.#entries.length - liveEvents);
    while (count < this.#entries.length && this.#entries[count]!.at < before) count++;
    const gone = this.#entries.splice(0, count).at(-1);
    if (gone) this.#removed = gone.position;
  }
}
