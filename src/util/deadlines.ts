/**
 * Work that may take some time and no longer.
 *
 * @module
 */

/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** A timer that nobody needs any more keeps the process for no longer than this. */
const TICK_MS = 1000;

/** Work that is to end in time. */
export class Deadline {
  /** The tick that it began behind. */
  readonly begun: number;
  /** What is called when the time is over. */
  readonly end: () => void;
  /** In a ring: what began earlier. */
  earlier: Deadline = this;
  /** In a ring: what began later. */
  later: Deadline = this;
  /** A timer for this work alone. */
  timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #isOver = false;

  /**
   * @param begun the tick that it began behind
   * @param end what is called when the time is over
   */
  constructor(begun: number, end: () => void) {
    this.begun = begun;
    this.end = end;
  }

  /**
   * The work has ended, or is to end now.
   *
   * @returns whether it had not before
   */
  stop(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    if (this.timer !== undefined) clearTimeout(this.timer);
    this.earlier.later = this.later;
    this.later.earlier = this.earlier;
    this.earlier = this.later = this;
    return true;
  }
}

/** One limit for work that begins at different times: one timer serves all of it. */
export class Deadlines {
  readonly #limitMs: number;
  readonly #shared: boolean;
  /** Where the ring of work under way with the shared timer begins: no work itself. */
  readonly #ring: Deadline = new Deadline(0, () => {});
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
   * @returns can be stopped
   */
  start(end: () => void): Deadline {
    const started = new Deadline(this.#ticks, end);
    if (!this.#shared) {
      started.timer = setTimeout(() => endNow(started), this.#limitMs);
      return started;
    }
    const last = this.#ring.earlier;
    started.earlier = last;
    started.later = this.#ring;
    last.later = this.#ring.earlier = started;
    if (!this.#ticking) this.#tickLater();
    return started;
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
      endNow(first);
    }
  }
}

function endNow(deadline: Deadline): void {
  if (deadline.stop()) deadline.end();
}
