/**
 * `$search` over paths to restricted entities, which the database would search without conditions.
 *
 * @module
 */

import type { Expr, TreeStep } from "../../algebra/tree.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { searchableElements, searchCondition } from "../../model/search.ts";
import type { Pass } from "./pass.ts";
import { restrictPath } from "./restrict_path.ts";

/**
 * The condition that stands for search terms, if paths that are searched need one.
 *
 * @param pass who asks
 * @param search the terms
 * @param entity whose elements are searched
 * @returns `undefined` if the search can stay as it is
 * @throws ServiceError 401 or 403 when an entity that is searched too may not be read
 */
export function restrictSearch(
  pass: Pass,
  search: Expr,
  entity: LinkedEntity,
): Expr | undefined {
  const paths = searchableElements(entity);
  const restricted = paths.map((steps): readonly TreeStep[] =>
    steps.length === 1 ? steps : restrictPath(pass, { elements: entity.elements, steps }, {
      touchesEnd: true,
      condition: (where) => where,
    }).steps
  );
  if (restricted.every((steps, index) => steps === paths[index])) return undefined;
  return searchCondition(search, { entity, paths: restricted });
}
