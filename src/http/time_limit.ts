/**
 * The time that a request may take (auth 11).
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { runWithContext } from "../context/store.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import { ServiceError } from "../errors/service_error.ts";
import { Deadlines } from "../util/deadlines.ts";

/** The limit of all requests to a runtime. */
export class TimeLimit {
  readonly #deadlines: Deadlines;

  /**
   * @param limitMs the time a request may take
   * @param shared whether one timer serves all requests: not where hosts end the timers that a request has started
   *   together with it
   */
  constructor(limitMs: number, shared: boolean) {
    this.#deadlines = new Deadlines(limitMs, shared);
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
      const stop = this.#deadlines.start(() => {
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
}
