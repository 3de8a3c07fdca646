/**
 * What of an object is read.
 *
 * @module
 */

import assert from "node:assert/strict";

/**
 * An object as it is, and which of its members were read.
 *
 * @param target the object
 * @returns `reads`: the names since the last call
 */
export function watched<T extends object>(target: T): { readonly object: T; reads(): readonly string[] } {
  const names: string[] = [];
  const object = new Proxy(target, {
    get: (_, name) => {
      names.push(String(name));
      return Reflect.get(target, name);
    },
  });
  return { object, reads: () => names.splice(0) };
}

/**
 * Makes sure that something is found out with the first call only: further ones answer the same, and read nothing more.
 *
 * @param target of what it is found out
 * @param find finds it
 * @param always names that each call reads
 * @returns what was found
 */
export function foundOnce<T extends object, R>(
  target: T,
  find: (target: T) => R,
  always: readonly string[] = [],
): R {
  const { object, reads } = watched(target);
  const first = find(object);
  assert.ok(reads().some((name) => !always.includes(name)), "finding reads");
  assert.deepEqual(find(object), first);
  assert.deepEqual([...new Set(reads())], always, "what is known is not found again");
  return first;
}
