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
