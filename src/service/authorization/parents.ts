/**
 * What parts are parts of: who may do something to all of it may do so to them, by whichever way they are reached (auth 7).
 *
 * @module
 */

import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";

/**
 * The entities of the same service with a composition of an entity, itself aside.
 *
 * @param model the linked model
 * @param entity the entity of the parts
 */
export function parentsOf(model: LinkedModel, entity: LinkedEntity): readonly LinkedEntity[] {
  const parents = model.derived(parentsOf, (linked) => {
    const found = new Map<LinkedEntity, LinkedEntity[]>();
    for (const one of linked.entities()) {
      for (const composition of one.compositions) {
        const target = composition.$target;
        if (!target || target.$service !== one.$service) continue;
        const known = found.get(target) ?? [];
        if (isParent(found, target, one)) found.set(target, [...known, one]);
      }
    }
    return found;
  });
  return parents.get(entity) ?? [];
}

/** Compositions that lead back to the entity itself give no parent. */
function isParent(
  parents: ReadonlyMap<LinkedEntity, readonly LinkedEntity[]>,
  entity: LinkedEntity,
  parent: LinkedEntity,
): boolean {
  const reached = new Set([parent]);
  for (const one of reached) for (const next of parents.get(one) ?? []) reached.add(next);
  return !reached.has(entity);
}
