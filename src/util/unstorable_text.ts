/**
 * Texts that databases cannot keep.
 *
 * @module
 */

/**
 * Whether a text cannot be kept: with the character U+0000 SQLite reads it only as far as that, and PostgreSQL does not
 * store it; a surrogate without the other one of its pair is no character, and would come back as another one.
 *
 * @param text any text
 */
export function isUnstorable(text: string): boolean {
  return text.includes("\0") || !text.isWellFormed();
}

/**
 * Whether a value is such a text, or a list or an object that has one.
 *
 * @param value any value
 */
export function holdsUnstorable(value: unknown): boolean {
  if (typeof value === "string") return isUnstorable(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return false;
  return Object.entries(value).some(([name, member]) => isUnstorable(name) || holdsUnstorable(member));
}
