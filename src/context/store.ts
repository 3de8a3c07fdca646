/**
 * The current context: one `AsyncLocalStorage` whose holder can be replaced, and beside it what runs briefly.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { andThen, type MaybePromise } from "../util/maybe_promise.ts";
import { type ContextEntries, type ContextHolder, EventContext, ownerOf } from "./event_context.ts";

interface Holder extends ContextHolder {
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

/**
 * Runs work of a request like `runWithContext`. The storage keeps what it was given long after nobody asks for it (values
 * of the weak map behind it survive minor collections). So behind the end of the request, and when some others have ended,
 * what the work has left behind finds tenant, user, locale, id and feature toggles of its context, and no longer what
 * hangs on the request.
 *
 * @param context the context, in that of a request
 * @param run the work
 */
export function runInRequest<T>(context: EventContext, run: () => T): T {
  const entries = entriesOf(context);
  if (entries === undefined) return runWithContext(context, run);
  const inner: Holder = { context, owner: stored().owner };
  const result = enter(inner, run);
  if (result instanceof Promise) {
    const leave = () => entries.leave(inner);
    // whoever waits for it has to wait for nothing more
    result.then(leave, leave);
  } else entries.leave(inner);
  return result;
}

/** Empties the holders of work whose request has ended. */
export class RequestEntries implements ContextEntries {
  #left: ContextHolder[] | undefined;
  #isOver = false;

  leave(holder: ContextHolder): void {
    if (this.#isOver) release(holder);
    else if (this.#left) this.#left.push(holder);
    else this.#left = [holder];
  }

  end(): void {
    this.#isOver = true;
    for (const holder of this.#left ?? NONE) release(holder);
    this.#left = undefined;
  }
}

const NONE: readonly ContextHolder[] = [];

/** The entries of the request that a context belongs to. */
function entriesOf(context: EventContext): ContextEntries | undefined {
  for (let at: EventContext | undefined = context; at; at = at.parent) if (at.entries) return at.entries;
  return undefined;
}

/** Holders of requests that have ended last: what a request has left behind mostly ends soon after it. */
const ENDED: (ContextHolder | undefined)[] = new Array(32).fill(undefined);
let nextEnded = 0;

function release(holder: ContextHolder): void {
  const oldest = ENDED[nextEnded];
  if (oldest?.context) oldest.context = remains(oldest.context);
  ENDED[nextEnded] = holder;
  nextEnded = (nextEnded + 1) % ENDED.length;
}

/** What stays of a context whose request has ended. */
function remains(context: EventContext): EventContext {
  const { id, tenant, user, locale, features } = context;
  const left = new EventContext({ id, tenant, user, locale, features });
  left.owner = ownerOf(context);
  return left;
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
