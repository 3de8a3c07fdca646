/**
 * Lists in text.
 *
 * @module
 */

/**
 * Splits text at its commas outside of quotes and brackets.
 *
 * @param text a list of expressions
 */
export function splitTop(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/'(?:[^']|'')*'|[()[\],]/g)) {
    if (token === "(" || token === "[") depth++;
    else if (token === ")" || token === "]") depth--;
    else if (token === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}
