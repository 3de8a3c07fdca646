/**
 * Bounds of what databases do for each combination of several rows: conditions on related rows above each other, and
 * collections beside each other. Both would let a short URL take time without end, however few rows there are.
 *
 * @module
 */

import type { Expression } from "../../../cqn/cqn.ts";
import type { Bindings } from "../shapes/bindings.ts";
import { badRequest } from "../plan_error.ts";

/** Functions that look at each member of a collection of values. */
const OF_MEMBERS: ReadonlySet<string> = new Set(["$any", "$count", "$filtered"]);

/**
 * Makes sure that a named value can be computed for each member of a collection. Names of `$compute` may stand for
 * conditions on related rows, which use other names.
 *
 * @param value the value
 * @param bindings has the limit
 * @param offset of the name
 * @throws {ServiceError} 400 beyond `lambdaDepth`
 */
export function assertShallow(value: Expression, { limits }: Bindings, offset: number): void {
  const { lambdaDepth } = limits;
  if (rowDepth(value) + 1 <= lambdaDepth) return;
  throw badRequest(
    `With the values of names conditions about related rows are nested too deeply, the limit is ${lambdaDepth}`,
    offset,
  );
}

/** How many conditions on rows or members there are above each other. */
function rowDepth(node: unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  const inner = Object.values(node).reduce((most: number, member) => Math.max(most, rowDepth(member)), 0);
  return inner + (isOfRows(node) ? 1 : 0);
}

function isOfRows(node: object): boolean {
  return "where" in node || ("func" in node && OF_MEMBERS.has(String(node.func)));
}

/**
 * Makes sure that not too many collections stand beside each other: there is a row for each combination of their
 * members.
 *
 * @param collections how many there are
 * @param bindings has the limit
 * @param offset of the last one
 * @throws {ServiceError} 400 beyond `joinedCollections`
 */
export function assertFewJoined(collections: number, { limits }: Bindings, offset: number): void {
  const { joinedCollections } = limits;
  if (collections <= joinedCollections) return;
  throw badRequest(`More than ${joinedCollections} collections stand beside each other`, offset);
}
