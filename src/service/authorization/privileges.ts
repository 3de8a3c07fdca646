/**
 * Which of the roles and attributes that the restrictions of a model name a user has: all that access depends on.
 *
 * @module
 */

import type { Expr } from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import { accessBy, type Caller, type EventName } from "./access.ts";
import { attributeOf, isMissing } from "./effective_condition.ts";
import { ownRestrictions, type Restriction } from "./restrictions.ts";

/** Equal for users with the same privileges in a model. */
export type Privileges = number | string;

/** Who asks, and where. */
export interface ModelCaller extends Caller {
  /** The linked model. */
  readonly model: LinkedModel;
}

/** What restrictions of a model name. */
interface Named {
  readonly roles: readonly string[];
  readonly attributes: readonly string[];
  /** What was found out of callers, by restrictions. */
  readonly accesses: WeakMap<readonly Restriction[], KnownAccess[]>;
}

/** What a caller may do by restrictions. */
interface KnownAccess {
  readonly privileges: Privileges;
  readonly event: string;
  readonly isAdmitted: boolean;
  readonly access: ReturnType<typeof accessBy>;
}

/** Accesses by the same restrictions that are kept; more different users than that share nothing. */
const MAX_ACCESSES = 64;

/**
 * What a user may do by restrictions, like `accessBy`; found out once for all users with the same privileges.
 *
 * @param caller who asks
 * @param restrictions those of an entity
 * @param event name of the event
 */
export function knownAccess(
  caller: ModelCaller,
  restrictions: readonly Restriction[],
  event: EventName,
): ReturnType<typeof accessBy> {
  if (typeof event !== "string") return accessBy(restrictions, event, caller);
  const { accesses } = namedIn(caller.model);
  const privileges = privilegesOf(caller);
  const { isAdmitted } = caller;
  let known = accesses.get(restrictions);
  if (!known) accesses.set(restrictions, known = []);
  for (const one of known) {
    if (one.event === event && one.privileges === privileges && one.isAdmitted === isAdmitted) {
      return one.access;
    }
  }
  const access = deepFreeze(accessBy(restrictions, event, caller));
  if (known.length >= MAX_ACCESSES) known.length = 0;
  known.push({ privileges, event, isAdmitted, access });
  return access;
}

/** Bits of a number that JavaScript shifts. */
const BITS = 31;

/**
 * Which roles and attributes of those that matter a user has: one bit each, as text where there are many.
 *
 * @param caller who asks
 */
export function privilegesOf({ user, model }: ModelCaller): Privileges {
  const { roles, attributes } = namedIn(model);
  if (roles.length + attributes.length > BITS) {
    return [...roles.map((role) => user.is(role)), ...attributes.map((name) => isMissing(user, name))]
      .map(Number).join("");
  }
  let bits = 0;
  // each request comes here: by index nothing is allocated
  for (let i = 0; i < roles.length; i++) bits = bits << 1 | Number(user.is(roles[i]!));
  for (let i = 0; i < attributes.length; i++) bits = bits << 1 | Number(isMissing(user, attributes[i]!));
  return bits;
}

function namedIn(model: LinkedModel): Named {
  return model.derived(findNames, findNames);
}

function findNames(model: LinkedModel): Named {
  const roles = new Set(["any"]);
  const attributes = new Set<string>();
  const collect = (condition: Expr) =>
    walkTree(condition, (expression) => {
      const name = expression.kind === "variable" ? attributeOf(expression) : undefined;
      if (name !== undefined) attributes.add(name);
    });
  for (const definition of Object.values(model.definitions)) {
    for (const restricted of [definition, ...definition.actions ?? []]) {
      for (const { to, where } of ownRestrictions(restricted).flat()) {
        for (const role of to ?? []) roles.add(role);
        if (where) collect(where);
      }
    }
  }
  return { roles: [...roles], attributes: [...attributes], accesses: new WeakMap() };
}
