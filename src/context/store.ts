/**
 * The current context: one `AsyncLocalStorage` whose holder can be replaced, and beside it what runs briefly.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { andThen, type MaybePromise } from "../util/maybe_promise.ts";
import type { EventContext } from "./event_context.ts";

interface Holder {
  context: EventContext | undefined;
  /** The runtime for which work is done outside of any request. */
  owner?: unknown;
}

const storage = new AsyncLocalStorage<Holder>();
const outside: Holder = { context: undefined };
/** The holder of what runs briefly at this moment; it lies within the one of the storage, whose owner it shares. */
let brief: Pick<Holder, "context"> | undefined;

function stored(): Holder {
  return storage.getStore() ?? outside;
}

/** The context of the running request, event or job; undefined outside of any. */
export function currentContext(): EventContext | undefined {
  return (brief ?? stored()).context;
}

/** Replaces the context for everything that runs in the same continuation from now on. */
export function replaceContext(context: EventContext | undefined): void {
  (brief ?? stored()).context = context;
}

/** Runs a function, and all that it starts, with a context of its own. */
export function runWithContext<T>(context: EventContext, run: () => T): T {
  return enter({ context, owner: stored().owner }, run);
}

function enter<T>(inner: Holder, run: () => T): T {
  const outer = brief;
  brief = undefined;
  try {
    return storage.run(inner, run);
  } finally {
    brief = outer;
  }
}

/**
 * Runs a step of the framework with a context of its own, which only what runs before the step returns sees. Entering the
 * storage costs as much as reading a row, and keeps what hangs on the context alive for long (values of the weak map
 * behind it survive minor collections), so steps that mostly end at once use this. What calls handlers, and what goes on
 * later, enters the context by itself: `runWithContext`, `andThenWithin`.
 *
 * @param context the context
 * @param run the step
 */
export function runBriefly<T>(context: EventContext, run: () => T): T {
  const outer = brief;
  brief = { context };
  try {
    return run();
  } finally {
    brief = outer;
  }
}

/**
 * Goes on with the outcome of a step that ran briefly in a context: at once if it is there, else briefly in the context
 * again.
 *
 * @param context the context
 * @param value what the step gave
 * @param next what comes next
 */
export function andThenWithin<T, R>(
  context: EventContext,
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise
    ? andThen(value, (settled) => runBriefly(context, () => next(settled)))
    : next(value);
}

/**
 * Runs a function without a context, on behalf of a runtime, until its promise has settled. What is started in it and goes
 * on has no owner then: some hosts let the storage of such work show up in what runs later.
 */
export async function runWithOwner<T>(owner: unknown, run: () => Promise<T>): Promise<T> {
  const inner: Holder = { context: undefined, owner };
  try {
    return await enter(inner, run);
  } finally {
    inner.owner = undefined;
  }
}

/** The runtime that `runWithOwner` was given for what runs here. */
export function currentOwner(): unknown {
  return stored().owner;
}
