/**
 * Recognizing plain objects.
 *
 * @module
 */

/** Whether a value is an object that an object literal or `JSON.parse` gives. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Merges plain objects; members of later ones win, arrays and other values are replaced as a whole, `undefined` is
 * skipped. The result shares no plain object with its inputs.
 */
export function mergeDeep(...values: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const value of values) {
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined || key === "__proto__") continue;
      const before = result[key];
      result[key] = isPlainObject(member) ? mergeDeep(isPlainObject(before) ? before : {}, member) : member;
    }
  }
  return result;
}
