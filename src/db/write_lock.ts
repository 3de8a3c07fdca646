/**
 * The queue of writers.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

/** Somebody who waits. */
interface Waiting {
  readonly go: () => void;
  readonly fail: (error: ServiceError) => void;
}

/**
 * One holder at a time; other writers wait in order, and what only reads runs between two holders, before the next writer.
 *
 * Waiting ends with 503 when one holder keeps the lock longer than the timeout: it may wait for one of those that wait
 * for it. However many wait, nobody is turned away as long as the lock changes hands.
 */
export class WriteLock {
  readonly #timeoutMs: number;
  readonly #writers: Set<Waiting> = new Set();
  readonly #readers: Set<Waiting> = new Set();
  #held = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param timeoutMs how long one holder may keep the others waiting */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Waits for the lock and takes it.
   *
   * @throws ServiceError 503 when its holder keeps it too long
   */
  acquire(): Promise<void> {
    if (this.#held) return this.#wait(this.#writers, () => undefined);
    this.#held = true;
    return Promise.resolve();
  }

  /** Runs the reads that wait, then hands the lock to the next writer. */
  release(): void {
    this.#stopTimer();
    this.#held = false;
    for (const reader of this.#readers) reader.go();
    this.#readers.clear();
    const [next] = this.#writers;
    if (!next) return;
    this.#writers.delete(next);
    this.#held = true;
    if (this.#writers.size > 0) this.#startTimer();
    next.go();
  }

  /**
   * Runs something while nobody holds the lock.
   *
   * @param run synchronous work
   * @returns its result, at once if nobody holds the lock
   * @throws ServiceError 503 when the holder keeps the lock too long
   */
  read<T>(run: () => T): T | Promise<T> {
    return this.#held ? this.#wait(this.#readers, run) : run();
  }

  #wait<T>(queue: Set<Waiting>, run: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const go = () => {
      try {
        resolve(run());
      } catch (error) {
        reject(error);
      }
    };
    queue.add({ go, fail: reject });
    if (this.#timer === undefined) this.#startTimer();
    return promise;
  }

  #startTimer(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const waiting = [...this.#readers, ...this.#writers];
      this.#readers.clear();
      this.#writers.clear();
      for (const one of waiting) one.fail(new ServiceError({ status: 503, message: "The database is busy" }));
    }, this.#timeoutMs);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
