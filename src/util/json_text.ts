/**
 * JSON texts and values: how deep they are nested, and where a member stands.
 *
 * @module
 */

/**
 * Whether objects and arrays are nested deeper than a limit; works without recursion.
 *
 * @param value a JSON value
 * @param limit levels of objects and arrays
 */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: object[] = typeof value === "object" && value !== null ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((node) =>
      Object.values(node).filter((child): child is object => typeof child === "object" && child !== null)
    );
  }
  return false;
}

/**
 * Whether a value holds a number beyond those of JavaScript, as `JSON.parse` makes of `1e999`.
 *
 * @param value a JSON value whose depth is known to be within bounds
 */
export function holdsInfinity(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(holdsInfinity);
  return value === Infinity || value === -Infinity;
}

/**
 * The value of a JSON text.
 *
 * @param text the text
 * @param otherwise what is given for a text that is no JSON
 */
export function jsonOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

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
    if (found === -1) break;
    index = found;
  }
  return text.slice(0, index).split("\n").length;
}
