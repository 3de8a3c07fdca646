/**
 * Texts that databases cannot keep.
 *
 * @module
 */

/**
 * Whether a text has the character U+0000, or a list or an object one that has it. SQLite reads such text only as far as
 * that character, PostgreSQL does not store it.
 *
 * @param value any value
 */
export function holdsNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return false;
  return Object.entries(value).some(([name, member]) => holdsNul(name) || holdsNul(member));
}
