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

/** What the nesting of JSON text depends on: keys, other texts, comments, brackets. */
const TOKENS = /("(?:\\.|[^"\\])*")\s*:|"(?:\\.|[^"\\])*"|\/\/.*|\/\*[^]*?\*\/|[{}[\]]/g;

/**
 * The line of a key in JSON text.
 *
 * @param text JSON text, maybe with comments, already known to be valid
 * @param path keys from an outer object inwards; others may stand between them, as those of profiles do
 * @returns the line, counted from 1, of the deepest key of the path that was found, the outermost one of several
 */
export function jsonKeyLine(text: string, path: readonly string[]): number {
  let best = { index: 0, steps: 0, depth: 0 };
  const open: number[] = []; // how many steps of the path lead to each object and list around
  let steps = 0; // and to what was read last
  for (const { 0: token, 1: key, index } of text.matchAll(TOKENS)) {
    if (token === "{" || token === "[") open.push(steps);
    else if (token === "}" || token === "]") steps = open.pop() ?? 0;
    else if (key !== undefined) {
      const depth = open.length;
      steps = open[depth - 1] ?? 0;
      if (JSON.parse(key) !== path[steps]) continue;
      steps++;
      if (steps > best.steps || steps === best.steps && depth < best.depth) best = { index, steps, depth };
    }
  }
  return text.slice(0, best.index).split("\n").length;
}
