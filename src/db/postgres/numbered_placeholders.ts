/**
 * Placeholders of SQL text that handlers write.
 *
 * @module
 */

/** Literals, quoted names and comments, which stay as they are; or a placeholder. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|\?/g;

/**
 * Replaces `?` by `$1`, `$2`, …
 *
 * @param text SQL
 */
export function numberedPlaceholders(text: string): string {
  let count = 0;
  return text.replace(PARTS, (part) => part === "?" ? `$${++count}` : part);
}
