/**
 * What stands in place of asynchronous requests in bundles without them: each is answered at once, which a preference allows.
 *
 * @module
 */

import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Answer, Exchange } from "../exchange.ts";
import type { AsyncRequests as Replaced } from "./async_requests.ts";

/** Requests whose answers do not come later. */
export class AsyncRequests implements Pick<Replaced, keyof Replaced> {
  /** Answers a request. */
  answer(exchange: Exchange, run: (exchange: Exchange) => MaybePromise<Answer>): MaybePromise<Answer> {
    return run(exchange);
  }

  /** None is under way. */
  isBusy(): boolean {
    return false;
  }

  /** There is nothing to forget. */
  async clear(): Promise<void> {}

  /** There is nothing to wait for. */
  async close(): Promise<void> {}
}
