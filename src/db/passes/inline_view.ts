/**
 * Views that SQL cannot hold: those with parameters, and those that depend on values of the request.
 *
 * @module
 */

import { walkQuery } from "../../cqn/walk.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { viewQuery } from "../../model/view_query.ts";
import { isBound } from "./references.ts";
import type { Lowering } from "./scope.ts";

const known: WeakMap<LinkedEntity, boolean> = new WeakMap();

/**
 * Whether a view is replaced by its query wherever it is read.
 *
 * @param lowering lowers the query of the view, which tells what it depends on
 * @param entity any entity
 */
export function isInlineView(lowering: Lowering, entity: LinkedEntity): boolean {
  const inline = known.get(entity);
  if (inline !== undefined) return inline;
  known.set(entity, false); // a view does not depend on itself
  const result = viewQuery(entity) !== undefined &&
    ([...entity.params].length > 0 || dependsOnRequest(lowering, entity));
  known.set(entity, result);
  return result;
}

/** Also in views it reads, calculated elements, and conditions of associations. */
function dependsOnRequest({ plain }: Lowering, entity: LinkedEntity): boolean {
  let found = false;
  walkQuery(plain().select(viewQuery(entity)!, { view: true }).query, (expression) => {
    if ("ref" in expression && expression.ref && isBound({ ref: expression.ref })) found = true;
    if ("func" in expression && expression.func.toLowerCase() === "now") found = true;
  });
  return found;
}
