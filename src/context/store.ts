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
  owner?: unknown;
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

/**
 * Runs a function without a context, on behalf of a runtime, until its promise has settled. What is started in it and goes
 * on has no owner then: some hosts let the storage of such work show up in what runs later.
 */
export async function runWithOwner<T>(owner: unknown, run: () => Promise<T>): Promise<T> {
  const holder: Holder = { context: undefined, owner };
  try {
    return await storage.run(holder, run);
  } finally {
    holder.owner = undefined;
  }
}

/** The runtime that `runWithOwner` was given for what runs here. */
export function currentOwner(): unknown {
  return storage.getStore()?.owner;
}
