/**
 * Finding keys in JSON text, for messages.
 *
 * @module
 */

/**
 * The line of a key in JSON text.
 *
 * @param text JSON text, already known to be valid
 * @param path keys from the outermost object inwards
 * @returns the line, counted from 1, of the deepest key of the path that was found
 */
export function jsonKeyLine(text: string, path: readonly string[]): number {
  let index = 0;
  for (const key of path) {
    const found = text.indexOf(JSON.stringify(key), index);
    if (found < 0) break;
    index = found;
  }
  return text.slice(0, index).split("\n").length;
}
