/**
 * `SELECT.search`: terms over the searchable elements, ignoring case.
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { searchCondition } from "../../model/search_condition.ts";
import { searchableElements } from "../../model/searchable_elements.ts";

/**
 * The condition that stands for search terms.
 *
 * @param search the terms
 * @param entity whose elements are searched
 * @returns tokens over the elements of the entity
 */
export function searchedRows(search: readonly Xo[], entity: LinkedEntity): readonly Xo[] {
  return searchCondition(search, {
    entity,
    paths: searchableElements(entity),
    find: (ref, term) => ({ func: "$found", args: [{ ref }, term] }),
  });
}
