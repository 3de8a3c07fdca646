/**
 * Results that are given one by one.
 *
 * @module
 */

import type { MaybePromise } from "../../util/maybe_promise.ts";

/** What calls of `async function*` return. */
const AsyncGenerator = Object.getPrototypeOf(async function* () {}).prototype as object;

/**
 * The members of a `Set`, an iterator or a generator as an array: whoever looks at results knows arrays only.
 *
 * @param result what a handler returned
 * @returns anything else as it is
 */
export function collected(result: unknown): MaybePromise<unknown> {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return result;
  if (result instanceof Set || result instanceof Iterator) return [...result as Iterable<unknown>];
  return Object.prototype.isPrototypeOf.call(AsyncGenerator, result)
    ? Array.fromAsync(result as AsyncIterable<unknown>)
    : result;
}
