/**
 * Search text inside of expressions.
 *
 * @module
 */

import type { Expression, Xo } from "../../../cqn/cqn.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import { searchCondition } from "../../../model/search_condition.ts";
import { searchableElements } from "../../../model/searchable_elements.ts";

/**
 * The condition that search terms are on the rows of an entity, ignoring case.
 *
 * @param search the terms
 * @param entity whose elements are searched
 * @returns tokens over the elements of the entity
 */
export function searchOf(search: readonly Xo[], entity: LinkedEntity): readonly Xo[] {
  return searchCondition(search, {
    entity,
    paths: searchableElements(entity),
    find: (ref, term) => ({
      func: "contains",
      args: [lower({ func: "coalesce", args: [{ ref }, { val: "" }] }), lower(term)],
    }),
  });
}

function lower(text: Expression): Expression {
  return { func: "tolower", args: [text] };
}
