/**
 * Syntax trees without places, for comparison.
 *
 * @module
 */

/** A tree without places of its nodes. */
export function bareTree(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(bareTree);
  if (typeof node !== "object" || node === null || node instanceof Error) {
    return node instanceof Error ? "error" : node;
  }
  const members = Object.entries(node).filter(([name]) => !/offset/i.test(name));
  return Object.fromEntries(members.map(([name, value]) => [name, bareTree(value)]));
}
