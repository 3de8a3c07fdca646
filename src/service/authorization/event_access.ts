/**
 * Who may receive the events of a service.
 *
 * @module
 */

import { join } from "../../algebra/build.ts";
import { toXo } from "../../algebra/to_cqn.ts";
import type { Expr } from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import type { EventContext } from "../../context/event_context.ts";
import type { Xo } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedDefinition, LinkedElement, LinkedElements } from "../../model/linked.ts";
import { placeOf } from "../../model/problems.ts";
import { isGiven } from "./access.ts";
import { effectiveCondition } from "./effective_condition.ts";
import { missingRole, refusal } from "./refusals.ts";
import { assertOpen } from "./pass.ts";
import { type AuthorizationScope, endpointPass, isPrivileged } from "./pass_of.ts";
import { findElement } from "./restrict_path.ts";
import { ownRestrictions, type Privilege } from "./restrictions.ts";
import { unqualified } from "../../util/unqualified.ts";
import { stepName } from "../../cqn/steps.ts";

/**
 * What the payloads must meet of an event that a client asks for; grants name `READ`, `*` or the event.
 *
 * @param context who asks
 * @param scope the service
 * @param event the event
 * @returns conditions, all of which must be met
 * @throws ServiceError 401 without login, 403 without role
 */
export function eventConditions(
  context: EventContext,
  scope: AuthorizationScope,
  event: LinkedDefinition,
): readonly (readonly Xo[])[] {
  if (isPrivileged(context)) return [];
  const pass = endpointPass(context, scope);
  const restrictions = ownRestrictions(event);
  if (restrictions.length === 0) assertOpen(pass);
  return restrictions.flatMap((restriction) => {
    const granted = restriction.filter((one) => isAbout(one, event) && isGiven(one, pass));
    if (granted.length === 0) throw refusal(pass, () => missingRole(event));
    const conditions = granted.map(({ where }) => where);
    if (conditions.some((where) => where === undefined)) return [];
    return [toXo(join("or", conditions.map((where) => effectiveCondition(where!, context.user))))];
  });
}

function isAbout({ grants }: Privilege, { name }: LinkedDefinition): boolean {
  const local = unqualified(name);
  return grants.has("*") || grants.has("READ") || grants.has(local);
}

/**
 * Refuses a condition of an event that is about more than its payload.
 *
 * @param event the event
 * @param where the condition
 * @throws ConfigurationError for subqueries and paths along associations
 */
export function assertAboutPayload(event: LinkedDefinition, where: Expr): void {
  walkTree(where, (expression) => {
    const { kind } = expression as { readonly kind?: string };
    if (kind === "select" || kind === "set" || kind === "exists") throw beyond(event, "A subquery");
    if (expression.kind !== "reference") return;
    const [first, ...more] = expression.ref;
    let elements: LinkedElements | undefined = event.elements;
    for (const step of first === "$self" ? more : expression.ref) {
      const element: LinkedElement | undefined = elements && findElement(elements, stepName(step));
      if (element?.$target) throw beyond(event, `The path along "${element.name}"`);
      elements = element?.$type.elements;
    }
  });
}

function beyond(event: LinkedDefinition, found: string): ConfigurationError {
  return new ConfigurationError(
    `${found} of a restriction of ${
      String(event)
    } leads beyond the payload: conditions of events name its elements only`,
    placeOf(event),
  );
}
