/**
 * The lease of a worker on the rows it works on (`messaging` 6.3).
 *
 * @module
 */

import type { MessageStore } from "./message_store.ts";
import type { OutboxMessage } from "./stored_work.ts";

/** Room between the last moment of work and the end of the lease, as a part of it. */
const MARGIN = 1 / 6;

/** Renews the lease on rows until each of them is settled. */
export class Lease {
  readonly #store: MessageStore;
  readonly #open: Set<string>;
  readonly #timer: ReturnType<typeof setInterval>;
  #until: number;

  /**
   * Begins to renew.
   *
   * @param store the rows
   * @param messages those that were claimed just now
   */
  constructor(store: MessageStore, messages: readonly OutboxMessage[]) {
    this.#store = store;
    this.#open = new Set(messages.map(({ ID }) => ID));
    this.#until = Date.now() + store.leaseMs;
    this.#timer = setInterval(() => void this.#renew(), store.leaseMs / 3);
  }

  /** Whether the rows are this worker's for sure: a process that was stopped for long may have lost them. */
  get isValid(): boolean {
    return Date.now() < this.#until - this.#store.leaseMs * MARGIN;
  }

  /** The rows that are not settled. */
  get open(): readonly string[] {
    return [...this.#open];
  }

  /** Takes rows out that are removed or given back. */
  settle(ids: readonly string[]): void {
    for (const id of ids) this.#open.delete(id);
  }

  /** Ends renewing. */
  end(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    if (this.#open.size === 0) return;
    const until = Date.now() + this.#store.leaseMs;
    try {
      await this.#store.renew(this.open);
      this.#until = until;
    } catch {
      // the database is busy: the lease ends in time, and with it the work
    }
  }
}
