/**
 * What a user may do with an entity: nothing, everything, or some rows.
 *
 * @module
 */

import type { User } from "../../context/user.ts";
import type { RefStep, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { type Privilege, type Restriction, restrictionsOf } from "./restrictions.ts";

/** `none`: a role is missing; `all`: every row; otherwise the condition of the permitted rows. */
export type Access = "none" | "all" | readonly Xo[];

/** Tokens that are never true. */
const NEVER: readonly Xo[] = [{ val: 1 }, "=", { val: 0 }];
const NEGATED: ReadonlySet<string> = new Set(["<>", "!="]);
/** Members of `$user` that are no attributes. */
const MEMBERS: ReadonlySet<string> = new Set(["id", "locale", "tenant"]);

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
  return conditions.length === 0 ? "all" : join(conditions, "and");
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

/**
 * A condition as it holds for a user: a comparison with an attribute that the user lacks is false, also a negated
 * one, which an empty list would make true.
 */
function effectiveCondition(where: readonly Xo[], user: User): readonly Xo[] {
  const result: Xo[] = [];
  for (const token of where) {
    if (typeof token === "object" && "xpr" in token && !("func" in token)) {
      result.push({ ...token, xpr: effectiveCondition(token.xpr, user) });
    } else if (typeof token === "object" && lacksAttribute(token, user)) {
      replaceNegated(result, token);
    } else result.push(token);
  }
  return result;
}

/** Puts `1 = 0` in the place of `operand <> attribute` and `operand not in attribute`. */
function replaceNegated(result: Xo[], token: Xo): void {
  const last = result.at(-1);
  const isNotIn = last === "in" && result.at(-2) === "not";
  if (!isNotIn && !(typeof last === "string" && NEGATED.has(last))) return void result.push(token);
  result.splice(result.length - (isNotIn ? 3 : 2));
  result.push({ xpr: NEVER });
}

function lacksAttribute(token: Exclude<Xo, string>, user: User): boolean {
  const name = attributeOf(token) ??
    ("list" in token && token.list.length === 1 ? attributeOf(token.list[0]!) : undefined);
  return name !== undefined && isEmpty(user.attr[name]);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The attribute that a reference to `$user` names. */
export function attributeOf(token: Exclude<Xo, string>): string | undefined {
  if (!("ref" in token) || token.param || token.ref.length !== 2 || nameOf(token.ref[0]!) !== "$user") {
    return undefined;
  }
  const name = nameOf(token.ref[1]!);
  return MEMBERS.has(name) ? undefined : name;
}

function nameOf(step: RefStep): string {
  return typeof step === "string" ? step : step.id;
}
