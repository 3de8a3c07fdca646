/**
 * Names of the rows of a query, for conditions inside of other rows.
 *
 * @module
 */

import type { RefExpression } from "../../cqn/cqn.ts";
import type { RowName } from "./scope.ts";

/**
 * A query whose rows have a name, at every place that reads them.
 *
 * @param query the query
 * @param from the source of the rows, the same object wherever it stands
 * @param row the name, if one is needed
 * @returns the query with the name
 */
export function namedRows<T>(query: T, from: RefExpression, { name }: RowName): T {
  if (name === undefined) return query;
  const named = { ...from, as: name };
  const replaced = <N>(node: N): N => {
    if (node === from as unknown) return named as N;
    if (typeof node !== "object" || node === null || node instanceof Uint8Array) return node;
    if (Array.isArray(node)) return node.map(replaced) as N;
    return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, replaced(member)])) as N;
  };
  return replaced(query);
}
