/**
 * The one `AsyncLocalStorage`: a holder whose context can be replaced.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { EventContext } from "./event_context.ts";

interface Holder {
  context: EventContext | undefined;
  /** The runtime for which work is done outside of any request. */
  readonly owner?: unknown;
}

const storage = new AsyncLocalStorage<Holder>();
const outside: Holder = { context: undefined };

/** The context of the running request, event or job; undefined outside of any. */
export function currentContext(): EventContext | undefined {
  return (storage.getStore() ?? outside).context;
}

/** Replaces the context for everything that runs in the same continuation from now on. */
export function replaceContext(context: EventContext | undefined): void {
  (storage.getStore() ?? outside).context = context;
}

/** Runs a function, and all that it starts, with a context of its own. */
export function runWithContext<T>(context: EventContext, run: () => T): T {
  return storage.run({ context, owner: storage.getStore()?.owner }, run);
}

/** Runs a function, and all that it starts, without a context, on behalf of a runtime. */
export function runWithOwner<T>(owner: unknown, run: () => T): T {
  return storage.run({ context: undefined, owner }, run);
}

/** The runtime that `runWithOwner` was given for what runs here. */
export function currentOwner(): unknown {
  return storage.getStore()?.owner;
}
