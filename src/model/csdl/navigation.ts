/**
 * Navigation properties: partners and referential constraints (csn-cqn 13).
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../linked.ts";

/**
 * The association on the other side of a backlink pair.
 *
 * @param entity where the association is
 * @param association one of the two
 * @returns the partner, if the condition of the pair is just `x.b = $self` and both targets are the pair's own entities
 */
export function partnerOf(entity: LinkedEntity, association: LinkedElement): LinkedElement | undefined {
  const target = association.$target;
  if (!target) return undefined;
  const forward = backlinkOf(association);
  if (forward !== undefined) {
    const partner = target.elements[forward];
    return partner?.isAssociation && partner.$target === entity ? partner : undefined;
  }
  const candidates = [...target.associations].filter((candidate) =>
    candidate.$target === entity && backlinkOf(candidate) === association.name
  );
  return candidates.length > 0 ? candidates[0] : undefined;
}

/** `b` of the condition `x.b = $self` of association `x`. */
function backlinkOf(association: LinkedElement): string | undefined {
  if (association.on?.length !== 3 || association.on[1] !== "=") return undefined;
  const [left, , right] = association.on;
  const path = isSelf(right) ? refOf(left) : isSelf(left) ? refOf(right) : undefined;
  return path?.length === 2 && path[0] === association.name ? path[1] : undefined;
}

function isSelf(item: Xo): boolean {
  const ref = refOf(item);
  return ref?.length === 1 && ref[0] === "$self";
}

function refOf(item: Xo): string[] | undefined {
  if (typeof item !== "object" || !("ref" in item)) return undefined;
  return item.ref.map((step) => typeof step === "string" ? step : step.id);
}

/**
 * The referential constraints of an association to one.
 *
 * @param entity where the association is
 * @param association the association
 * @returns pairs of flat names: property here, property of the target
 */
export function referentialConstraints(entity: LinkedEntity, association: LinkedElement): [string, string][] {
  const target = association.$target;
  if (!target || association.is2many) return [];
  if (association.$foreignKeys) return association.$foreignKeys.map(({ name, target }) => [name, target]);
  const backlink = backlinkOf(association);
  if (backlink !== undefined) {
    return (target.elements[backlink]?.$foreignKeys ?? []).map(({ name, target }) => [target, name]);
  }
  return equalities(entity, target, association);
}

function equalities(
  entity: LinkedEntity,
  target: LinkedEntity,
  association: LinkedElement,
): [string, string][] {
  const on = association.on ?? [];
  if (on.includes("or") || on.includes("not")) return [];
  const pairs: [string, string][] = [];
  for (const [index, item] of on.entries()) {
    if (item !== "=") continue;
    const sides = [refOf(on[index - 1]), refOf(on[index + 1])];
    const there = sides.find((path) => path?.[0] === association.name && path.length > 1);
    const here = sides.find((path) => path && path !== there);
    if (!there || !here) continue;
    const property = (here[0] === "$self" ? here.slice(1) : here).join("_");
    const referenced = there.slice(1).join("_");
    if (entity.$flat.has(property) && target.$flat.get(referenced)?.key) pairs.push([property, referenced]);
  }
  return pairs;
}
