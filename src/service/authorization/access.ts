/**
 * What a user may do with an entity: nothing, everything, or some rows.
 *
 * @module
 */

import type { User } from "../../context/user.ts";
import type { Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { effectiveCondition } from "./effective_condition.ts";
import { type Privilege, type Restriction, restrictionsOf } from "./restrictions.ts";

/** `none`: a role is missing; `all`: every row; otherwise the condition of the permitted rows. */
export type Access = "none" | "all" | readonly Xo[];

/**
 * What a user may do.
 *
 * @param definition an entity or operation
 * @param event name of the event or bound operation; undefined to look at roles only
 * @param user who asks
 */
export function accessOf(definition: object, event: string | undefined, user: User): Access {
  const conditions: (readonly Xo[])[] = [];
  for (const restriction of restrictionsOf(definition)) {
    const access = accessBy(restriction, event, user);
    if (access === "none") return "none";
    if (access !== "all") conditions.push(access);
  }
  // The language of a request must not change what its user may do.
  return conditions.length === 0 ? "all" : [{ xpr: join(conditions, "and"), localized: false }];
}

function accessBy(restriction: Restriction, event: string | undefined, user: User): Access {
  const granted = restriction.filter((privilege) =>
    grants(privilege, event) && privilege.to.some((role) => user.is(role))
  );
  if (granted.length === 0) return "none";
  const conditions = granted.map(({ where }) => where);
  if (conditions.some((where) => where === undefined)) return "all";
  return join(conditions.map((where) => effectiveCondition(where!, user)), "or");
}

function grants({ grants: events }: Privilege, event: string | undefined): boolean {
  return event === undefined || events.has("*") || events.has(event);
}

/**
 * What a user may do by an event to an entity; UPSERT needs CREATE and UPDATE.
 *
 * @param entity the entity
 * @param event the event
 * @param user who asks
 */
export function entityAccess(entity: LinkedEntity, event: string, user: User): Access {
  if (event !== "UPSERT") return accessOf(entity, event, user);
  const create = accessOf(entity, "CREATE", user);
  const update = accessOf(entity, "UPDATE", user);
  if (create === "none" || update === "none") return "none";
  if (create === "all") return update;
  return update === "all" ? create : join([create, update], "and");
}

/** Conditions joined, each in parentheses. */
export function join(conditions: readonly (readonly Xo[])[], operator: "and" | "or"): readonly Xo[] {
  if (conditions.length === 1) return conditions[0]!;
  return conditions.flatMap((xpr, index): Xo[] => index === 0 ? [{ xpr }] : [operator, { xpr }]);
}
