/**
 * `SELECT.search`: terms over the searchable elements, ignoring case.
 *
 * @module
 */

import { fromXo } from "../../algebra/from_cqn.ts";
import type { Expr } from "../../algebra/tree.ts";
import type { Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { searchCondition } from "../../model/search_condition.ts";
import { searchableElements } from "../../model/searchable_elements.ts";

/**
 * The condition that stands for search terms.
 *
 * @param search the terms; without any there is no condition
 * @param entity whose elements are searched
 * @returns a condition over the elements of the entity
 */
export function searchedRows(search: readonly Xo[] | undefined, entity: LinkedEntity): Expr | undefined {
  if (!search?.length) return undefined;
  const tokens = searchCondition(search, {
    entity,
    paths: searchableElements(entity),
    find: (ref, term) => ({ func: "$found", args: [{ ref }, term] }),
  });
  return fromXo(tokens);
}
