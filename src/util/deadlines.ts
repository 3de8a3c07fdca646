/**
 * Work that may take some time and no longer.
 *
 * @module
 */

/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** A timer that nobody needs any more keeps the process for no longer than this. */
const TICK_MS = 1000;

interface Entry {
  /** The tick that it began behind. */
  readonly begun: number;
  end(): void;
}

/** One limit for work that begins at different times: one timer serves all of it. */
export class Deadlines {
  readonly #limitMs: number;
  readonly #shared: boolean;
  /** Work under way with the shared timer; the oldest, whose time is over first, comes first. */
  readonly #running: Set<Entry> = new Set();
  readonly #tickMs: number;
  #ticks = 0;
  #ticking = false;

  /**
   * @param limitMs the time that work may take
   * @param shared whether one timer serves all: not where hosts end the timers that a request has started together with it
   */
  constructor(limitMs: number, shared: boolean) {
    this.#limitMs = Math.min(limitMs, MAX_TIMER_MS);
    this.#shared = shared;
    this.#tickMs = Math.min(this.#limitMs, TICK_MS);
  }

  /**
   * Calls a function when the time is over, unless it is stopped before. A shared timer ticks: that costs less than a look
   * at the clock for each work, ends it up to a second or its limit later, and may call in the context of other work.
   *
   * @param end what to call
   * @returns stops it
   */
  start(end: () => void): () => void {
    if (!this.#shared) {
      const timer = setTimeout(end, this.#limitMs);
      return () => clearTimeout(timer);
    }
    const entry = { begun: this.#ticks, end };
    this.#running.add(entry);
    if (!this.#ticking) this.#tickLater();
    return () => this.#running.delete(entry);
  }

  #tickLater(): void {
    this.#ticking = true;
    setTimeout(() => this.#tick(), this.#tickMs);
  }

  #tick(): void {
    this.#ticks++;
    for (const entry of this.#running) {
      // it may have begun at the end of its tick
      const passedMs = (this.#ticks - entry.begun - 1) * this.#tickMs;
      if (passedMs < this.#limitMs) break;
      this.#running.delete(entry);
      entry.end();
    }
    if (this.#running.size > 0) this.#tickLater();
    else this.#ticking = false;
  }
}
