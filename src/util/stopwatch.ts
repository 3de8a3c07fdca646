/**
 * Measuring work, and whether it let anything else run.
 *
 * @module
 */

/** Runs from its creation until it is stopped, which it must be. */
export class Stopwatch {
  /** The time until it was stopped, in milliseconds. */
  elapsedMs = 0;
  /** Whether the event loop had no turn meanwhile. */
  isBlocking = true;
  readonly #startedAt: number = performance.now();
  readonly #timer: ReturnType<typeof setTimeout> = setTimeout(() => this.isBlocking = false, 0);

  /** Ends measuring. */
  stop(): void {
    clearTimeout(this.#timer);
    this.elapsedMs = performance.now() - this.#startedAt;
  }
}
