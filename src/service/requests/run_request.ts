/**
 * The frame around a request, batch part or change set.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { ServiceHost } from "../host.ts";
import { RootTransaction, runManaged } from "../transactions/transaction.ts";

/**
 * Runs the requests of one protocol request or change set in one root transaction: commits at the end, or rolls back
 * all; then the lifecycle events of all requests fire (spec 6.1).
 *
 * @param host the runtime
 * @param context the context of the HTTP request or batch part
 * @param run dispatches the requests
 */
export function runRequest<T>(
  host: ServiceHost,
  context: EventContext,
  run: () => MaybePromise<T>,
): MaybePromise<T> {
  return runManaged(new RootTransaction(context, { log: host.log("service"), adopt: host.adopt }), run);
}
