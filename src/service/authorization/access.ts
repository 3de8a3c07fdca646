/**
 * What a user may do by privileges: nothing, everything, or something with some rows.
 *
 * @module
 */

import type { User } from "../../context/user.ts";
import { allOf, join } from "../../algebra/build.ts";
import type { Expr, TreeQuery, TreeStep } from "../../algebra/tree.ts";
import { effectiveCondition } from "./effective_condition.ts";
import type { Privilege, Restriction } from "./restrictions.ts";

/** Rows of an entity that are permitted. */
export interface PermittedRows {
  /** The condition that they meet. */
  readonly where?: Expr;
  /** The query that gives them, in place of that of a view. */
  readonly query?: TreeQuery;
}

/** `none`: a role is missing; `all`: every row; otherwise the permitted rows. */
export type Access = "none" | "all" | PermittedRows;

/** Name of an event, or of several that must be permitted together. */
export type EventName = string | readonly string[];

/** Who asks. */
export interface Caller {
  readonly user: User;
  /** Whether the user gets as far as to endpoints without restriction: logged in, or where no login is asked for. */
  readonly isAdmitted: boolean;
}

/**
 * What a user may do by restrictions, all of which must be met.
 *
 * @param restrictions those of an entity or operation
 * @param event name of the event or bound operation; undefined to look at roles only
 * @param caller who asks
 */
export function accessBy(
  restrictions: readonly Restriction[],
  event: EventName | undefined,
  caller: Caller,
): "none" | "all" | Required<Pick<PermittedRows, "where">> {
  const conditions: Expr[] = [];
  for (const one of event === undefined ? [undefined] : eventsOf(event)) {
    for (const restriction of restrictions) {
      const access = accessByOne(restriction, one, caller);
      if (access === "none") return "none";
      if (access !== "all") conditions.push(access);
    }
  }
  // The language of a request must not change what its user may do.
  return conditions.length === 0 ? "all" : { where: unlocalized(join("and", conditions)) };
}

function unlocalized(arg: Expr): Expr {
  return { kind: "unlocalized", arg, type: arg.type };
}

/** The events that must be permitted: UPSERT needs CREATE and UPDATE. */
function eventsOf(event: EventName): readonly string[] {
  if (typeof event !== "string") return event.flatMap(eventsOf);
  return event === "UPSERT" ? ["CREATE", "UPDATE"] : [event];
}

function accessByOne(
  restriction: Restriction,
  event: string | undefined,
  caller: Caller,
): "none" | "all" | Expr {
  const granted = restriction.filter((privilege) => grants(privilege, event) && isGiven(privilege, caller));
  if (granted.length === 0) return "none";
  const conditions = granted.map(({ where }) => where);
  if (conditions.some((where) => where === undefined)) return "all";
  return join("or", conditions.map((where) => effectiveCondition(where!, caller.user)));
}

function grants({ grants: events }: Privilege, event: string | undefined): boolean {
  return event === undefined || events.has("*") || events.has(event);
}

/** Whether a privilege is one of the user. */
export function isGiven({ to }: Privilege, { user, isAdmitted }: Caller): boolean {
  return to === undefined ? isAdmitted : to.some((role) => user.is(role));
}

/** A step that leads to permitted rows only. */
export function withAccess(step: TreeStep, access: "all" | PermittedRows): TreeStep {
  if (access === "all") return step;
  const { where, query } = access;
  const own = typeof step === "string" ? { id: step } : step;
  return {
    ...own,
    ...(where ? { where: allOf([own.where, where]) } : {}),
    ...(query ? { query } : {}),
  };
}
