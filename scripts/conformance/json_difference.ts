/**
 * Where two JSON values differ.
 *
 * @module
 */

/**
 * The first difference; the order of members does not count.
 *
 * @param expected the one
 * @param found the other
 * @param path how both were reached
 * @returns what differs, in words; undefined where nothing does
 */
export function difference(expected: unknown, found: unknown, path = ""): string | undefined {
  if (Object.is(expected, found)) return undefined;
  if (isObject(expected) && isObject(found) && Array.isArray(expected) === Array.isArray(found)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      const inner = difference(expected[name], found[name], `${path}/${name}`);
      if (inner !== undefined) return inner;
    }
    return undefined;
  }
  return `${path || "/"}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
