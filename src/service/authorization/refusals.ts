/**
 * The answers to those who may not do what they ask for (auth 2).
 *
 * @module
 */

import type { User } from "../../context/user.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedEntity, LinkedService } from "../../model/linked.ts";
import { hasOwnRestriction, ownRestrictions, type Privilege, type Restriction } from "./restrictions.ts";
import { toCqnExpression } from "../../algebra/to_cqn.ts";
import { printExpression } from "../../cqn/print_query.ts";
import { entitiesRead } from "../../model/entities_read.ts";
import type { EventName } from "./access.ts";
import { isRestricted, restrictionsHeld } from "./view_restrictions.ts";

/** What was missing, for the log of the developer: told only when it is logged. */
class MissingPermission {
  readonly describe: () => string;

  constructor(describe: () => string) {
    this.describe = describe;
  }
}

/** Whether somebody has logged in. */
export function isAuthenticated(user: User): boolean {
  return user.is("authenticated-user");
}

/** 401; the http layer adds the challenge of the strategy. */
export function unauthorized(): ServiceError {
  return new ServiceError({ status: 401, code: "401", message: "Unauthorized" });
}

/**
 * 403; says nothing about what is missing.
 *
 * @param missing what is missing, for the log
 */
export function forbidden(missing: () => string): ServiceError {
  const cause = new MissingPermission(missing);
  return new ServiceError({ status: 403, code: "403", message: "Forbidden", cause });
}

/**
 * The refusal of a user who lacks a role: 401 for somebody without login, unless nobody gets 401.
 *
 * @param caller who asked, and the settings in effect
 * @param missing what is missing, for the log
 */
export function refusal(
  { user, settings }: { readonly user: User; readonly settings: AuthenticationSettings },
  missing: () => string,
): ServiceError {
  return isAuthenticated(user) || settings.neverRefuses ? forbidden(missing) : unauthorized();
}

/**
 * What a user lacked who was refused by a restriction.
 *
 * @param error what was thrown
 * @returns undefined for any other error
 */
export function missingPermission(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof MissingPermission ? cause.describe() : undefined;
}

/** What the rules depend on. */
export interface AuthenticationSettings {
  /** Nobody gets 401 (mode `never`, or a strategy that does nothing). */
  readonly neverRefuses: boolean;
  /** Services that carry no restriction themselves need authentication. */
  readonly restrictsAll: boolean;
  /** `$metadata` of every service is public. */
  readonly publicMetadata: boolean;
}

interface Environment {
  readonly requires?: {
    readonly auth?: { readonly kind?: unknown; readonly restrict_all_services?: boolean };
  };
  readonly security?: {
    readonly authentication?: { readonly mode?: string; readonly authenticateMetadataEndpoints?: boolean };
  };
}

/** What the settings are taken from; a runtime fits. */
export interface AuthenticationHost {
  /** Configuration below `fw`. */
  readonly env: Readonly<Record<string, unknown>>;
  readonly production: boolean;
  /** Whether the strategy in effect does nothing. */
  readonly isAuthenticationOff?: boolean;
}

const SETTINGS: WeakMap<object, AuthenticationSettings> = new WeakMap();

/**
 * The settings that a configuration stands for.
 *
 * @param host configuration, profile and strategy
 * @throws ConfigurationError when the mode contradicts `restrict_all_services`
 */
export function authenticationSettings(host: AuthenticationHost): AuthenticationSettings {
  let settings = SETTINGS.get(host);
  if (settings === undefined) SETTINGS.set(host, settings = readSettings(host));
  return settings;
}

function readSettings(host: AuthenticationHost): AuthenticationSettings {
  const { production } = host;
  const env: Environment = host.env;
  const { mode, authenticateMetadataEndpoints } = env.security?.authentication ?? {};
  const { kind, restrict_all_services: configured } = env.requires?.auth ?? {};
  const byMode = mode === undefined ? undefined : mode === "standard";
  if (byMode !== undefined && configured !== undefined && byMode !== configured) {
    throw new ConfigurationError(
      `"fw.security.authentication.mode" is "${mode}", which contradicts "fw.requires.auth.restrict_all_services"`,
    );
  }
  // Explicitly configured mocked authentication in production opens services without restriction (spec 5.2.10).
  const byProfile = production && kind !== "mocked";
  return {
    neverRefuses: mode === "never" || host.isAuthenticationOff === true,
    restrictsAll: configured ?? byMode ?? byProfile,
    publicMetadata: authenticateMetadataEndpoints === false,
  };
}

/**
 * Whether what carries no restriction itself needs authentication in a service: in a restricted one always, as
 * spec 5.2.7 says, in others as configured.
 *
 * @param service the service
 * @param settings the settings in effect
 */
export function needsAuthentication(
  service: LinkedService | undefined,
  settings: AuthenticationSettings,
): boolean {
  if (settings.neverRefuses) return false;
  return (service !== undefined && hasOwnRestriction(service)) || settings.restrictsAll;
}

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
      where === undefined ? "" : `${rolesOf(roles)} where ${printExpression(toCqnExpression(where))}`,
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
