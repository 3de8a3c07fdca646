/**
 * Recognizing custom implementations that do nothing (spec 5.5.1).
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { currentContext, runWithContext } from "../context/store.ts";

/**
 * Whether a middleware does nothing: called once, with arguments that notice every look at them, it looks at none of
 * them, nor at the current context, and calls `next` at once without an argument, or, in the web style, returns nothing.
 * What never looks at a request does the same for each. A middleware that looks at anything, answers, throws, waits
 * before it calls `next`, or returns a promise in the web style is not empty. Its source text plays no role.
 *
 * @param step the function; with three parameters or more `(req, res, next)`, else `(request, context)`
 */
// deno-lint-ignore ban-types
export function doesNothing(step: Function): boolean {
  const seen = { isTouched: false, calls: 0 };
  const probe = untouchable(() => seen.isTouched = true);
  const next = (...args: readonly unknown[]) => {
    seen.calls++;
    if (args.length > 0) seen.isTouched = true;
  };
  const isClassic = step.length >= 3;
  // the probe is no context: looking at what it has in place of one is noticed like any other look
  const context = probe as EventContext;
  const outcome = runWithContext(context, () => {
    const returned = attempt(() => step(probe, probe, next));
    return { returned, isReplaced: currentContext() !== context };
  });
  if (outcome.returned instanceof Failure || outcome.isReplaced || seen.isTouched) return false;
  if (isClassic) return seen.calls === 1;
  return outcome.returned === undefined && seen.calls <= 1;
}

class Failure {}

/** What a function returns, or that it threw; a promise that fails later is of no interest. */
function attempt(run: () => unknown): unknown {
  try {
    const returned = run();
    if (returned instanceof Promise) returned.catch(() => {});
    return returned;
  } catch {
    return new Failure();
  }
}

/**
 * An object that calls back and throws at every operation on it. Only a `Proxy` notices the names nobody thought of:
 * what it would miss would switch authentication off.
 */
function untouchable(onTouch: () => void): object {
  const trap = () => {
    onTouch();
    throw new TypeError("A custom authentication was called to see whether it does anything");
  };
  const traps = [
    ...["get", "set", "has", "deleteProperty", "defineProperty", "getOwnPropertyDescriptor", "ownKeys"],
    ...["getPrototypeOf", "setPrototypeOf", "isExtensible", "preventExtensions"],
  ];
  return new Proxy({}, Object.fromEntries(traps.map((name) => [name, trap])));
}
