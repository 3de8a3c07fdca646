/**
 * Views that SQL cannot hold: those with parameters, and those that depend on values of the request.
 *
 * @module
 */

import type { Source } from "../../cqn/cqn.ts";
import { walkQuery } from "../../cqn/walk.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { isBound } from "./references.ts";

const known: WeakMap<LinkedEntity, boolean> = new WeakMap();

/**
 * Whether a view is replaced by its query wherever it is read.
 *
 * @param entity any entity
 */
export function isInlineView(entity: LinkedEntity): boolean {
  let inline = known.get(entity);
  if (inline === undefined) {
    inline = entity.$select !== undefined && ([...entity.params].length > 0 || hasBoundValues(entity));
    known.set(entity, inline);
  }
  return inline;
}

function hasBoundValues(entity: LinkedEntity): boolean {
  let found = false;
  walkQuery({ SELECT: entity.$select! }, (expression) => {
    if ("ref" in expression && expression.ref && isBound({ ref: expression.ref })) found = true;
  });
  return found ||
    (isPlainSource(entity.$select!.from) && entity.$source !== undefined && isInlineView(entity.$source));
}

function isPlainSource(source: Source): boolean {
  return "ref" in source;
}
