/**
 * What a user may do to parts that stand for nothing themselves, where no path leads to them from what they are parts of
 * (auth 7).
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import { PART_BY } from "../../model/exposure.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { type Access, type EventName, join, withAccess } from "./access.ts";
import { accessOf, assertOpen, grantedAccess, isOwnAuthority, type Pass } from "./pass.ts";
import { forbidden, refusal } from "./refusals.ts";

/**
 * What the user may do to an entity that stands for nothing itself and is not reached by a path from what it is a part of:
 * of parts that name their wholes, those of permitted wholes; of others all, where everything is permitted in the wholes.
 *
 * @throws ServiceError 401 or 403
 */
export function grantedParts(pass: Pass, entity: LinkedEntity, event: EventName): Exclude<Access, "none"> {
  const access = accessOfParts(pass, entity, event);
  if (access === "none") {
    throw refusal(pass, () => `${entity} is a part of entities that are not permitted for ${event}`);
  }
  if (access) return access;
  assertParents(pass, entity, event);
  return "all";
}

/** Undefined for parts that do not name all their wholes. */
function accessOfParts(pass: Pass, entity: LinkedEntity, event: EventName): Access | undefined {
  const links = entity[PART_BY] as readonly string[] | undefined; // as the model writes it
  if (links === undefined) return undefined;
  const conditions: (readonly Xo[])[] = [];
  const wholes = parentsOf(pass.model, entity);
  for (const whole of wholes) {
    const link = links.find((name) => entity.elements[name]?.$target === whole);
    const access = isOwnAuthority(whole) ? accessOf(pass, whole, event) : accessOfParts(pass, whole, event);
    if (access === undefined || (link === undefined && access !== "all")) return undefined;
    if (access === "none") continue;
    if (access === "all" && (link === undefined || wholes.length === 1)) return "all";
    conditions.push(["exists", { ref: [withAccess(link!, access)] }]);
  }
  if (conditions.length > 0) return { where: join(conditions, "or") };
  return wholes.length > 0 ? "none" : pass.isAdmitted ? "all" : "none";
}

/**
 * Refuses access to a generated entity without path from its parent, unless everything is permitted in the parents.
 *
 * @throws ServiceError 401 or 403
 */
function assertParents(pass: Pass, entity: LinkedEntity, event: EventName): void {
  assertOpen(pass);
  for (const parent of parentsOf(pass.model, entity)) {
    if (isOwnAuthority(parent) && grantedAccess(pass, parent, event) !== "all") {
      throw forbidden(() =>
        `${entity} is a part of ${parent}, of which not all rows are permitted for ${event}`
      );
    }
    if (!isOwnAuthority(parent)) assertParents(pass, parent, event);
  }
}

/** The entities of the same service with a composition of the entity, itself aside. */
function parentsOf(model: LinkedModel, entity: LinkedEntity): readonly LinkedEntity[] {
  const parents = model.derived(parentsOf, (linked) => {
    const found = new Map<LinkedEntity, LinkedEntity[]>();
    for (const one of linked.entities()) {
      for (const composition of one.compositions) {
        const target = composition.$target;
        if (!target || target === one || target.$service !== one.$service) continue;
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
  const open = [parent];
  const seen = new Set<LinkedEntity>();
  for (let one = open.pop(); one; one = open.pop()) {
    if (one === entity) return false;
    if (seen.has(one)) continue;
    seen.add(one);
    open.push(...parents.get(one) ?? []);
  }
  return true;
}
