/**
 * Parts that stand for nothing themselves: another row takes them over only from one that the user may change (auth 7).
 *
 * @module
 */

import type { TreeStep } from "../../algebra/tree.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { withAccess } from "./access.ts";
import { accessOf, isOwnAuthority, type Pass } from "./pass.ts";
import { isRestricted } from "./view_restrictions.ts";

/** A composition, and the entity that has it. */
interface Whole {
  readonly entity: LinkedEntity;
  readonly composition: LinkedElement;
}

/** A way along compositions to parts. */
export type WayToParts = readonly TreeStep[];

const wholes: WeakMap<LinkedEntity, readonly Whole[]> = new WeakMap();

/** The compositions of an entity in its service; parts of the same entity are those of its other wholes. */
export function wholesOf(part: LinkedEntity): readonly Whole[] {
  let found = wholes.get(part);
  if (!found) {
    found = [...part.$service?.entities ?? []].flatMap((entity) =>
      [...entity.compositions].filter(({ $target }) => $target === part && entity !== part)
        .map((composition) => ({ entity, composition }))
    );
    wholes.set(part, found);
  }
  return found;
}

/**
 * Whether parts may belong to rows that are restricted, and are not restricted themselves.
 *
 * @param part their entity
 */
export function isRestrictedByWhole(part: LinkedEntity, seen: readonly LinkedEntity[] = []): boolean {
  if (isOwnAuthority(part) || seen.includes(part)) return false;
  return wholesOf(part).some(({ entity }) =>
    isRestricted(entity) || isRestrictedByWhole(entity, [...seen, part])
  );
}

/**
 * The ways to the parts of rows that a user may change.
 *
 * @param pass who asks
 * @param part the entity of the parts, which is no authority of its own
 * @returns undefined if these are all parts
 */
export function waysToParts(
  pass: Pass,
  part: LinkedEntity,
  seen: readonly LinkedEntity[] = [],
): readonly WayToParts[] | undefined {
  let isLimited = false;
  const ways = wholesOf(part).filter(({ entity }) => !seen.includes(entity)).flatMap(
    ({ entity, composition }): WayToParts[] => {
      const access = isOwnAuthority(entity) ? accessOf(pass, entity, "UPDATE") : "all";
      const before = isOwnAuthority(entity) ? undefined : waysToParts(pass, entity, [...seen, part]);
      isLimited ||= access !== "all" || before !== undefined;
      if (access === "none") return [];
      return (before ?? [[withAccess(entity.name, access)]]).map((way) => [...way, composition.name]);
    },
  );
  return isLimited ? ways : undefined;
}
