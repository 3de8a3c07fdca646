/**
 * Work that may take some time and no longer.
 *
 * @module
 */

/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** A timer that nobody needs any more keeps the process for no longer than this. */
const TICK_MS = 1000;

/** Work in a ring: in front of it what began earlier, behind it what began later. */
interface Entry {
  /** The tick that it began behind. */
  readonly begun: number;
  end(): void;
  earlier: Entry;
  later: Entry;
}

/** One limit for work that begins at different times: one timer serves all of it. */
export class Deadlines {
  readonly #limitMs: number;
  readonly #shared: boolean;
  /** Where the ring of work under way with the shared timer begins: no work itself. */
  readonly #ring: Entry = ringWithout();
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
    const last = this.#ring.earlier;
    const entry: Entry = { begun: this.#ticks, end, earlier: last, later: this.#ring };
    last.later = this.#ring.earlier = entry;
    if (!this.#ticking) this.#tickLater();
    return () => takeOut(entry);
  }

  #tickLater(): void {
    this.#ticking = true;
    setTimeout(() => this.#tick(), this.#tickMs);
  }

  #tick(): void {
    this.#ticks++;
    try {
      this.#endOverdue();
    } finally {
      this.#ticking = false;
      if (this.#ring.later !== this.#ring) this.#tickLater();
    }
  }

  #endOverdue(): void {
    for (let first = this.#ring.later; first !== this.#ring; first = this.#ring.later) {
      // it may have begun at the end of its tick
      const passedMs = (this.#ticks - first.begun - 1) * this.#tickMs;
      if (passedMs < this.#limitMs) return;
      takeOut(first);
      first.end();
    }
  }
}

function ringWithout(): Entry {
  const start = { begun: 0, end: () => {} } as Entry;
  return start.earlier = start.later = start;
}

/** Takes work out of its ring, if it is in there. */
function takeOut(entry: Entry): void {
  entry.earlier.later = entry.later;
  entry.later.earlier = entry.earlier;
  entry.earlier = entry.later = entry;
}
