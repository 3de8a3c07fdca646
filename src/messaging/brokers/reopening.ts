/**
 * Opening something again after its connection was lost.
 *
 * @module
 */

import type { Logger } from "../../log/logger.ts";

const PAUSE_MS = 200;

/** What is opened on a connection. */
export interface ReopeningOptions {
  /** Opens it. */
  readonly open: () => Promise<void>;
  /** Called when the connection was lost: forgets what was opened on it. */
  readonly forget: () => void;
  /** Who is told when the connection was lost. */
  readonly lost: Set<() => void>;
  /** Takes failures. */
  readonly log: Logger;
}

/** Opens something again, until that succeeds, each time the connection was lost. */
export class Reopening {
  readonly #options: ReopeningOptions;
  readonly #onLost = () => this.start();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #opening: Promise<void> = Promise.resolve();
  #isLost = false;
  #isStopped = false;

  /**
   * Creates it; nothing is opened yet.
   *
   * @param options what is opened, and on what
   */
  constructor(options: ReopeningOptions) {
    this.#options = options;
  }

  /** Begins to watch what was opened: from now on a lost connection matters. */
  watch(): void {
    this.#options.lost.add(this.#onLost);
  }

  /** Forgets what was open and begins to open again, unless it is no longer wanted; after an attempt that is under way. */
  start(): void {
    this.#options.lost.delete(this.#onLost);
    this.#options.forget();
    this.#isLost = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isStopped || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#opening = this.#open(), PAUSE_MS);
  }

  async #open(): Promise<void> {
    this.#isLost = false;
    try {
      await this.#options.open();
    } catch (error) {
      this.#options.log.warn("Cannot receive, trying again:", (error as Error).message);
      this.#isLost = true;
    }
    this.#timer = undefined;
    // Also what was lost again while it was being opened.
    if (this.#isLost) this.#schedule();
  }

  /** Ends all attempts; resolves when none is under way. */
  async stop(): Promise<void> {
    this.#options.lost.delete(this.#onLost);
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#opening;
  }
}
