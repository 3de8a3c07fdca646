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
