/**
 * The queue of writers.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

/** One holder at a time; the others wait in order. */
export class WriteLock {
  readonly #timeoutMs: number;
  readonly #waiting: Set<() => void> = new Set();
  #held = false;
  #freed: PromiseWithResolvers<void> | undefined;

  /** @param timeoutMs how long to wait before giving up */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Whether somebody holds it. */
  get isHeld(): boolean {
    return this.#held;
  }

  /**
   * Waits for the lock and takes it.
   *
   * @throws ServiceError 503 when it takes too long
   */
  async acquire(): Promise<void> {
    if (!this.#held) {
      this.#held = true;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const timer = setTimeout(() => {
      this.#waiting.delete(resolve);
      reject(busy());
    }, this.#timeoutMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Hands the lock to the next one. */
  release(): void {
    const [next] = this.#waiting;
    this.#freed?.resolve();
    this.#freed = undefined;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else this.#held = false;
  }

  /**
   * Waits until nobody holds the lock, without taking it.
   *
   * @throws ServiceError 503 when it takes too long
   */
  async free(): Promise<void> {
    const end = Date.now() + this.#timeoutMs;
    while (this.#held) {
      const left = end - Date.now();
      if (left <= 0) throw busy();
      this.#freed ??= Promise.withResolvers<void>();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const timeout = new Promise<void>((resolve) => timer = setTimeout(resolve, left));
      await Promise.race([this.#freed.promise, timeout]);
      clearTimeout(timer);
    }
  }
}

function busy(): ServiceError {
  return new ServiceError({ status: 503, message: "The database is busy" });
}
