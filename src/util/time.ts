/**
 * Waiting, and how long something took.
 *
 * @module
 */

/**
 * Resolves after a while.
 *
 * @param ms milliseconds
 */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

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
