/**
 * The size of queries. Parts of a planned query are shared: names of `$compute` and sequences of `concat` stand for the
 * same object each time, so that a short URL can mean a query that nobody can write down.
 *
 * @module
 */

import { badRequest } from "../plan_error.ts";

const sizes = new WeakMap<object, number>();

/**
 * The number of objects and arrays of a tree, as if shared ones were copies.
 *
 * @param node a query, an expression or a part of them
 * @returns the number; infinity when it is too large for a number
 */
function querySize(node: unknown): number {
  if (typeof node !== "object" || node === null || node instanceof Uint8Array) return 0;
  const known = sizes.get(node);
  if (known !== undefined) return known;
  let size = 1;
  for (const member of Object.values(node)) size += querySize(member);
  sizes.set(node, size);
  return size;
}

/**
 * Makes sure that a query can be written down.
 *
 * @param nodes its parts
 * @param most the limit
 * @param offset of what makes it large
 * @throws {ServiceError} 400 if it is larger
 */
export function assertSize(nodes: readonly unknown[], most: number, offset?: number): void {
  const size = nodes.reduce((sum: number, node) => sum + querySize(node), 0);
  if (size > most) throw badRequest(`The query is too large (more than ${most} nodes)`, offset);
}
