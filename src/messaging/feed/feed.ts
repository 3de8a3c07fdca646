/**
 * The events of one tenant as those see them who wait for more.
 *
 * @module
 */

import type { Logger } from "../../log/logger.ts";
import type { EventFeed, FeedBounds, FeedEntry } from "../../service/live/live_data.ts";
import { pause } from "../../util/time.ts";
import type { FeedLog } from "./feed_log.ts";

/** Entries in one query. */
const PAGE = 500;
/** Characters of payloads that are kept for all readers, so that each event is read once and not once for each of them. */
const RECENT_CHARACTERS = 4 * 1024 * 1024;
/** Between two looks for events of other processes. */
const POLL_MS = 500;
/** How long to wait before a database that failed is asked again. */
const FAILED_MS = 1_000;

/** Entries, and from which position on they are all there are. */
interface Recent {
  readonly after: number;
  readonly entries: readonly FeedEntry[];
}

/** Reads a log for many readers. */
export class Feed implements EventFeed {
  readonly #log: FeedLog;
  readonly #logger: Logger;
  readonly #readers: Set<() => void> = new Set();
  #recent: Recent | undefined;
  #looking: Promise<void> | undefined;
  #isAsked = false;
  #polling: ReturnType<typeof setInterval> | undefined;

  /**
   * @param log where events are
   * @param logger takes failures
   */
  constructor(log: FeedLog, logger: Logger) {
    this.#log = log;
    this.#logger = logger;
  }

  async enter(wake: () => void): Promise<FeedBounds> {
    this.#readers.add(wake);
    // of what other processes store nobody tells
    if (this.#log.isShared) this.#polling ??= setInterval(() => this.look(), POLL_MS);
    try {
      await this.#log.place();
      return await this.#log.bounds();
    } catch (error) {
      this.leave(wake);
      throw error;
    }
  }

  leave(wake: () => void): void {
    this.#readers.delete(wake);
    if (this.#readers.size > 0) return;
    this.#recent = undefined;
    clearInterval(this.#polling);
    this.#polling = undefined;
  }

  async read(after: number): Promise<readonly FeedEntry[]> {
    if (this.#recent && after >= this.#recent.after) {
      return this.#recent.entries.filter(({ position }) => position > after).slice(0, PAGE);
    }
    const entries = await this.#log.read(after, PAGE);
    // nothing is behind a page that is not full, as far as it was looked for until now
    if (!this.#recent && this.#readers.size > 0 && entries.length < PAGE) {
      this.#keep({ after, entries });
      this.look();
    }
    return entries;
  }

  /** There may be more events. */
  look(): void {
    if (this.#readers.size === 0) return;
    this.#isAsked = true;
    this.#looking ??= this.#lookAll();
  }

  /** Removes what is too old. */
  async trim(): Promise<void> {
    await this.#log.trim().catch((error) => this.#logger.error("Cannot remove old events:", error));
  }

  /** Resolves when nothing is read any more. */
  async idle(): Promise<void> {
    while (this.#looking) await this.#looking;
  }

  async #lookAll(): Promise<void> {
    while (this.#isAsked && this.#readers.size > 0) {
      this.#isAsked = false;
      try {
        await this.#log.place();
        if (this.#recent && !await this.#readOn(this.#recent)) continue;
      } catch (error) {
        this.#logger.error("Cannot read events for clients:", error);
        this.#isAsked = true;
        await pause(FAILED_MS);
        continue;
      }
      this.#wake();
    }
    this.#looking = undefined;
  }

  /** Reads on behind what is known; whether there was more. */
  async #readOn({ after, entries }: Recent): Promise<boolean> {
    const more = await this.#log.read(entries.at(-1)?.position ?? after, PAGE);
    if (more.length === 0) return false;
    this.#keep({ after, entries: [...entries, ...more] });
    this.#isAsked ||= more.length === PAGE;
    return true;
  }

  /** Keeps the last of some entries. */
  #keep({ after, entries }: Recent): void {
    let first = entries.length;
    for (let room = RECENT_CHARACTERS; first > 0 && entries.length - first < PAGE * 2;) {
      room -= entries[first - 1]!.data.length;
      if (room < 0) break;
      first--;
    }
    this.#recent = { after: entries[first - 1]?.position ?? after, entries: entries.slice(first) };
  }

  #wake(): void {
    for (const wake of this.#readers) wake();
  }
}
