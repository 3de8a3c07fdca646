/**
 * The queue of writers.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";

/** Somebody who waits. */
type Waiting = () => void;

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
  /** How often the lock was released. */
  #turns = 0;

  /** @param timeoutMs how long one holder may keep the others waiting */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Takes the lock, and waits for it where somebody holds it.
   *
   * @throws ServiceError 503 when its holder keeps it too long
   */
  acquire(): MaybePromise<void> {
    if (this.#held) return this.#wait(this.#writers, () => undefined);
    this.#held = true;
  }

  /** Whether somebody has it. */
  get isHeld(): boolean {
    return this.#held;
  }

  /** Runs the reads that wait, then hands the lock to the next writer. */
  release(): void {
    this.#turns++;
    this.#held = false;
    if (this.#readers.size > 0) this.#readNow();
    if (this.#writers.size === 0) return;
    const [next] = this.#writers;
    if (!next) return;
    this.#writers.delete(next);
    this.#held = true;
    next();
  }

  #readNow(): void {
    for (const read of this.#readers) read();
    this.#readers.clear();
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

  /** Everybody has a timer of their own: at the edge, timers belong to the request that starts them. */
  #wait<T>(queue: Set<Waiting>, run: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const go = () => {
      try {
        resolve(run());
      } catch (error) {
        reject(error);
      }
    };
    queue.add(go);
    let turns = this.#turns;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const check = () => {
      if (this.#turns === turns) {
        queue.delete(go);
        return reject(new ServiceError({ status: 503, message: this.#reason() }));
      }
      turns = this.#turns;
      timer = setTimeout(check, this.#timeoutMs);
    };
    timer = setTimeout(check, this.#timeoutMs);
    return promise.finally(() => clearTimeout(timer));
  }

  /** For the log: clients get the phrase of the status. */
  #reason(): string {
    return `The database is busy: one transaction has kept the others waiting for ${this.#timeoutMs} ms; ` +
      "it may wait itself for one of them, begun in it by a fw.tx(…) of its own after it had written";
  }
}
