/**
 * The time that a request may take (auth 11).
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { ServiceError } from "../errors/service_error.ts";

/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs the work of a request. Once the time is over, the signal of the context is aborted, which rolls back its
 * transactions; what the work comes to later is ignored.
 *
 * @param limitMs the time it may take
 * @param context gets the signal
 * @param run the work
 * @throws ServiceError 504 `HANDLER_TIMEOUT`
 */
export function withinTime<T>(limitMs: number, context: EventContext, run: () => Promise<T>): Promise<T> {
  const ending = new AbortController();
  context.signal = ending.signal;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new ServiceError({ status: 504, code: "HANDLER_TIMEOUT", $sanitize: false });
      ending.abort(error);
      reject(error);
    }, Math.min(limitMs, MAX_TIMER_MS));
    run().finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
