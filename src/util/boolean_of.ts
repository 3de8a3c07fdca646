/**
 * Forms of true and false.
 *
 * @module
 */

/**
 * The truth value that a value stands for: one itself, 1 and 0, `"true"`, `"false"`, `"1"` and `"0"` in any case.
 *
 * @param value any value
 * @returns undefined for all others
 */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return TEXTS.get(value.toLowerCase());
  return value === 1 || value === 1n ? true : value === 0 || value === 0n ? false : undefined;
}

const TEXTS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);
