/**
 * What somebody would need who was refused: for the log of the developer, never for clients.
 *
 * @module
 */

import { printExpression } from "../../cqn/print_query.ts";
import { entitiesRead } from "../../model/entities_read.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { EventName } from "./access.ts";
import { ownRestrictions, type Privilege, type Restriction } from "./restrictions.ts";
import { missingPermission } from "./refusals.ts";
import { isRestricted, restrictionsHeld } from "./view_restrictions.ts";

/**
 * The roles that would permit something.
 *
 * @param definition the entity, operation or service that refused
 * @param event what was to be done; undefined where roles alone decide
 */
export function missingRole(definition: object, event?: EventName): string {
  const needed = describe(definition, (privilege) => rolesOf(privilege));
  return `${doing(definition, event)} needs ${needed || "a login"}`;
}

/**
 * The condition that a row did not meet.
 *
 * @param entity the entity whose restriction refused
 * @param event what was to be done
 */
export function missingCondition(entity: LinkedEntity, event: EventName): string {
  const needed = describe(
    entity,
    ({ where, ...roles }) =>
      where === undefined ? "" : `${rolesOf(roles)} where ${printExpression({ xpr: where })}`,
  );
  return `${doing(entity, event)}: the row meets no condition${needed ? ` (${needed})` : ""}`;
}

/** Where refusals are told. */
interface DeveloperLog {
  readonly production: boolean;
  log(id: string): { info(text: string): void };
}

/**
 * Tells the developer why a user was refused; in production nobody is told.
 *
 * @param host profile and log
 * @param error what was thrown
 */
export function logMissingPermission(host: DeveloperLog, error: unknown): void {
  const missing = host.production ? undefined : missingPermission(error);
  if (missing !== undefined) host.log("auth").info(`403: ${missing}`);
}

function doing(definition: object, event: EventName | undefined): string {
  const name = typeof event === "object" ? event.join(" and ") : event;
  return name === undefined ? String(definition) : `${name} of ${String(definition)}`;
}

function describe(definition: object, text: (privilege: Privilege) => string): string {
  return [...restrictionsBehind(definition)].map((restriction) =>
    [...new Set(restriction.map(text).filter((one) => one !== ""))].join(" or ")
  ).filter((one) => one !== "").join(", and ");
}

/** The restrictions of a definition; of a view those of all that it reads. */
function* restrictionsBehind(definition: object): Iterable<Restriction> {
  if (!("$entityNamed" in definition)) return yield* ownRestrictions(definition);
  const entity = definition as LinkedEntity;
  const held = restrictionsHeld(entity);
  if (held !== "by query") return yield* held;
  for (const one of entitiesRead(entity)) if (isRestricted(one)) yield* restrictionsBehind(one);
}

function rolesOf({ grants, to }: Privilege): string {
  const roles = to === undefined ? "a login" : to.map((role) => `role "${role}"`).join(" or ") || "a role";
  return grants.has("*") ? roles : `${roles} (for ${[...grants].join(", ")})`;
}
