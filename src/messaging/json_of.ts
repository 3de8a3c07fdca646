/**
 * JSON of messages.
 *
 * @module
 */

/**
 * The JSON text of a value; integers beyond those of JavaScript as text.
 *
 * @param value what JSON can hold, and `bigint`
 * @returns undefined where there is no value
 */
export function jsonOf(value: object | null): string;
export function jsonOf(value: unknown): string | undefined;
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Looking at every member costs more than writing them: only where there is one.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_, member) => typeof member === "bigint" ? String(member) : member);
  }
}
