/**
 * The time that a request may take (auth 11).
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { runWithContext } from "../context/store.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import { ServiceError } from "../errors/service_error.ts";

/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** A timer that nobody needs any more keeps the process for no longer than this. */
const TICK_MS = 1000;

interface Entry {
  readonly deadline: number;
  end(): void;
}

/** The limit of all requests to a runtime. */
export class TimeLimit {
  readonly #limitMs: number;
  readonly #shared: boolean;
  /** Requests under way with a shared timer; the oldest, whose time is over first, comes first. */
  readonly #running: Set<Entry> = new Set();
  #ticking = false;

  /**
   * @param limitMs the time a request may take
   * @param shared whether one timer serves all requests: not where hosts end the timers that a request has started
   *   together with it
   */
  constructor(limitMs: number, shared: boolean) {
    this.#limitMs = Math.min(limitMs, MAX_TIMER_MS);
    this.#shared = shared;
  }

  /**
   * Runs the work of a request. Once the time is over, the signal of the context is aborted, which rolls back its
   * transactions; what the work comes to later is ignored.
   *
   * @param context gets the signal
   * @param run the work
   * @throws ServiceError 504 `HANDLER_TIMEOUT`
   */
  run<T>(context: EventContext, run: () => MaybePromise<T>): MaybePromise<T> {
    const ending = new AbortController();
    context.signal = ending.signal;
    const running = run();
    // what has ended already needs no timer
    if (!(running instanceof Promise)) return running;
    return new Promise((resolve, reject) => {
      const stop = this.#start(() => {
        const error = new ServiceError({ status: 504, code: "HANDLER_TIMEOUT", $sanitize: false });
        // a shared timer runs in the context of another request
        runWithContext(context, () => ending.abort(error));
        reject(error);
      });
      running.then((value) => {
        stop();
        resolve(value);
      }, (error) => {
        stop();
        reject(error);
      });
    });
  }

  /** Calls a function when the time is over, unless it is stopped before. */
  #start(end: () => void): () => void {
    if (!this.#shared) {
      const timer = setTimeout(end, this.#limitMs);
      return () => clearTimeout(timer);
    }
    const entry = { deadline: performance.now() + this.#limitMs, end };
    this.#running.add(entry);
    if (!this.#ticking) this.#tick(this.#limitMs);
    return () => this.#running.delete(entry);
  }

  #tick(restMs: number): void {
    this.#ticking = true;
    setTimeout(() => this.#endOverdue(), Math.min(restMs, TICK_MS));
  }

  #endOverdue(): void {
    this.#ticking = false;
    for (const entry of this.#running) {
      const restMs = entry.deadline - performance.now();
      if (restMs > 0) return this.#tick(restMs);
      this.#running.delete(entry);
      entry.end();
    }
  }
}
