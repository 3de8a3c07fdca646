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
  readonly deadline: number;
  end(): void;
}

/** One limit for work that begins at different times: one timer serves all of it. */
export class Deadlines {
  readonly #limitMs: number;
  readonly #shared: boolean;
  /** Work under way with the shared timer; the oldest, whose time is over first, comes first. */
  readonly #running: Set<Entry> = new Set();
  #ticking = false;

  /**
   * @param limitMs the time that work may take
   * @param shared whether one timer serves all: not where hosts end the timers that a request has started together with it
   */
  constructor(limitMs: number, shared: boolean) {
    this.#limitMs = Math.min(limitMs, MAX_TIMER_MS);
    this.#shared = shared;
  }

  /**
   * Calls a function when the time is over, unless it is stopped before. With a shared timer the function may run in the
   * context of other work.
   *
   * @param end what to call
   * @returns stops it
   */
  start(end: () => void): () => void {
    if (!this.#shared) {
      const timer = setTimeout(end, this.#limitMs);
      return () => clearTimeout(timer);
    }
    const entry = { deadline: performance.now() + this.#limitMs, end };
    this.#running.add(entry);
    if (!this.#ticking) this.#tick(this.#limitMs);
    return () => this.#running.delete(entry);
  }

  #tick(restMs: number): void {
    this.#ticking = true;
    setTimeout(() => this.#endOverdue(), Math.min(restMs, TICK_MS));
  }

  #endOverdue(): void {
    this.#ticking = false;
    for (const entry of this.#running) {
      const restMs = entry.deadline - performance.now();
      if (restMs > 0) return this.#tick(restMs);
      this.#running.delete(entry);
      entry.end();
    }
  }
}
