/**
 * A bound on the requests that tokens of unknown senders cause.
 *
 * @module
 */

/** What a budget allows. */
export interface BudgetOptions {
  /** Requests at the same time. */
  readonly parallel: number;
  /** Requests in a row; they come back evenly. */
  readonly burst: number;
  /** Milliseconds until the whole burst is back. */
  readonly refillMs: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * Counts requests for documents that never led to an accepted token: anybody can name tenants and issuers in tokens
 * without signature, but not make this process call out without bound (security case key-set-014).
 */
export class RequestBudget {
  readonly #options: BudgetOptions;
  #running = 0;
  #left: number;
  #countedAt: number;

  /** Creates a full budget. */
  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#left = options.burst;
    this.#countedAt = options.clock();
  }

  /**
   * Runs a request if the budget allows it.
   *
   * @param send sends the request
   * @returns what it gives, or undefined when the budget is used up
   */
  run<T>(send: () => Promise<T>): Promise<T> | undefined {
    this.#refill();
    if (this.#left < 1 || this.#running >= this.#options.parallel) return undefined;
    this.#left--;
    this.#running++;
    return send().finally(() => this.#running--);
  }

  #refill(): void {
    const { burst, refillMs, clock } = this.#options;
    const now = clock();
    const passed = Math.max(0, now - this.#countedAt);
    this.#left = Math.min(burst, this.#left + passed * burst / refillMs);
    this.#countedAt = now;
  }
}
