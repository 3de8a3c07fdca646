/**
 * A bound on the requests that tokens of unknown senders cause.
 *
 * @module
 */

/** What a budget allows. */
export interface BudgetOptions {
  /** Requests at the same time; others wait for their turn. */
  readonly parallel: number;
  /** Milliseconds that a request waits at most, and half of what it may take. */
  readonly waitMs: number;
  /** Requests in a row; they come back evenly. */
  readonly burst: number;
  /** Milliseconds until the whole burst is back. */
  readonly refillMs: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** A request that is under way. */
interface Slot {
  readonly since: number;
}

/**
 * Counts requests for documents that never led to an accepted token: anybody can name tenants and issuers in tokens
 * without signature, but not make this process call out without bound (security case key-set-014).
 */
export class RequestBudget {
  readonly #options: BudgetOptions;
  /** Starts those who wait, first come, first served; no more than the burst. */
  readonly #waiting = new Set<() => void>();
  readonly #running = new Set<Slot>();
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
   * @returns what it gives, or undefined when the budget is used up or the turn did not come in time
   */
  async run<T>(send: () => Promise<T>): Promise<T | undefined> {
    this.#refill();
    if (this.#left < 1) return undefined;
    this.#left--;
    this.#dropLost();
    const slot = this.#running.size < this.#options.parallel ? this.#take() : await this.#turn();
    if (!slot) return undefined;
    try {
      return await send();
    } finally {
      this.#running.delete(slot);
      this.#waiting.values().next().value?.();
    }
  }

  #take(): Slot {
    const slot = { since: this.#options.clock() };
    this.#running.add(slot);
    return slot;
  }

  /** Waits for a slot, but not too long. */
  #turn(): Promise<Slot | undefined> {
    return new Promise((resolve) => {
      const end = (slot?: Slot) => {
        clearTimeout(timer);
        this.#waiting.delete(start);
        resolve(slot);
      };
      const start = () => end(this.#take());
      const timer = setTimeout(end, this.#options.waitMs);
      this.#waiting.add(start);
    });
  }

  /** Where work ends with the request that began it, a slot may never be given back. */
  #dropLost(): void {
    const { clock, waitMs } = this.#options;
    for (const slot of this.#running) {
      if (Math.abs(clock() - slot.since) > 2 * waitMs) this.#running.delete(slot);
    }
  }

  #refill(): void {
    const { burst, refillMs, clock } = this.#options;
    const now = clock();
    const passed = Math.max(0, now - this.#countedAt);
    this.#left = Math.min(burst, this.#left + passed * burst / refillMs);
    this.#countedAt = now;
  }
}
