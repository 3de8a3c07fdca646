/**
 * Any value as text.
 *
 * @module
 */

/**
 * The value converted to text; empty for what cannot be converted, such as objects without prototype.
 *
 * @param value any value
 */
export function toText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "";
  }
}
