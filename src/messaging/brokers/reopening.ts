/**
 * Opening something again after its connection was lost.
 *
 * @module
 */

import type { Logger } from "../../log/logger.ts";

const PAUSE_MS = 200;

/** Calls a function until it succeeds, each time the connection was lost. */
export class Reopening {
  readonly #open: () => Promise<void>;
  readonly #log: Logger;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #opening: Promise<void> = Promise.resolve();
  #isStopped = false;

  /**
   * Creates it; nothing is opened yet.
   *
   * @param open what is done
   * @param log takes failures
   */
  constructor(open: () => Promise<void>, log: Logger) {
    this.#open = open;
    this.#log = log;
  }

  /** Begins to open again, unless that is under way or no longer wanted. */
  start(): void {
    if (this.#isStopped || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#opening = this.#open().then(() => this.#timer = undefined, (error) => {
        this.#log.warn("Cannot receive, trying again:", (error as Error).message);
        this.#timer = undefined;
        this.start();
      }).then(() => {});
    }, PAUSE_MS);
  }

  /** Ends all attempts; resolves when none is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#opening;
  }
}
