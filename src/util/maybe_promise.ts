/**
 * Steps that wait only if they have to.
 *
 * @module
 */

/**
 * A value or the promise of one. Steps on the way of every request give the value itself where nothing is to be waited
 * for: `const pending = step(); if (pending) await pending;`.
 */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Goes on with a value, at once if it is there.
 *
 * @param value a value or the promise of one
 * @param next what comes next
 * @returns what it gives, or the promise of it
 */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Does something with each of some items, one after the other: without a promise where nothing is to be waited for.
 *
 * @param items the items
 * @param run what is done with one
 */
export function inTurn<T>(items: readonly T[], run: (item: T) => MaybePromise<unknown>): MaybePromise<void> {
  return fromIndex(items, run, 0);
}

function fromIndex<T>(
  items: readonly T[],
  run: (item: T) => MaybePromise<unknown>,
  first: number,
): MaybePromise<void> {
  for (let index = first; index < items.length; index++) {
    const pending = run(items[index]!);
    if (pending instanceof Promise) return pending.then(() => fromIndex(items, run, index + 1));
  }
}

/**
 * Runs a step, and recovers from what it throws, at once or later.
 *
 * @param run the step
 * @param recover takes what was thrown
 * @returns what either gives, or the promise of it
 */
export function orElse<T>(
  run: () => MaybePromise<T>,
  recover: (error: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  try {
    const value = run();
    return value instanceof Promise ? value.catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}

/**
 * What a function of the application returned, which may be anything to await: a builder of queries, for example.
 *
 * @param value what it returned
 * @returns a promise of the outcome, or the value
 */
export function maybePromise(value: unknown): unknown {
  if (value instanceof Promise || typeof value !== "object" || value === null) return value;
  return "then" in value && typeof value.then === "function" ? Promise.resolve(value) : value;
}
