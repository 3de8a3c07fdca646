/**
 * How deep JSON values are nested.
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
