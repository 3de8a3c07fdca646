/**
 * Freezing of plain data.
 *
 * @module
 */

/**
 * Freezes plain objects and arrays with all that they hold; other objects are left as they are.
 *
 * @param value any value
 * @returns the same value
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
