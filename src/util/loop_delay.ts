/**
 * How late a process is with what it has to do.
 *
 * @module
 */

/** How often it is looked. */
const PROBE_MS = 20;

/**
 * Measures how long what is due waits for its turn: a timer that ought to have fired and has not tells it at once, one that
 * fired late tells it until the next one. It runs only while somebody asks.
 */
export class LoopDelay {
  readonly #isNeeded: () => boolean;
  #dueAt = Infinity;
  #lateMs = 0;

  /** @param isNeeded whether to go on looking */
  constructor(isNeeded: () => boolean) {
    this.#isNeeded = isNeeded;
  }

  /** Milliseconds; 0 as long as nothing was measured. */
  get ms(): number {
    return Math.max(this.#lateMs, performance.now() - this.#dueAt);
  }

  /** Begins to look, unless it does. */
  watch(): void {
    if (this.#dueAt !== Infinity) return;
    this.#dueAt = performance.now() + PROBE_MS;
    setTimeout(() => {
      this.#lateMs = Math.max(0, performance.now() - this.#dueAt);
      this.#dueAt = Infinity;
      if (this.#isNeeded()) this.watch();
      else this.#lateMs = 0;
    }, PROBE_MS);
  }
}
