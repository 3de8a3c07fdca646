/**
 * The restriction of a service, checked before a URL is parsed (auth 2, 7).
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { User } from "../../context/user.ts";
import type { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity, LinkedModel, LinkedService } from "../../model/linked.ts";
import {
  type AuthenticationHost,
  type AuthenticationSettings,
  authenticationSettings,
  isAuthenticated,
  missingRole,
  needsAuthentication,
  refusal,
  unauthorized,
} from "./refusals.ts";
import { type Caller, isGiven } from "./access.ts";
import { parentsOf } from "./parents.ts";
import { isOwnAuthority } from "./pass.ts";
import { admitsAny, hasOwnRestriction, ownRestrictions, type Restriction } from "./restrictions.ts";
import { isOpenToAny } from "./view_restrictions.ts";

/** The service that is asked. */
export interface ServiceAccess {
  /** Its definition in the model of the caller. */
  readonly definition: LinkedService | undefined;
  /** That model. */
  readonly model: LinkedModel;
  /** Configuration, profile and strategy. */
  readonly host: AuthenticationHost;
}

/** What of the request matters beside its user. */
export interface ServiceEndpoint {
  /**
   * The raw path below the root of the service. An entity, operation or event that is open to `any` may be reached although
   * the service has no restriction and needs authentication; without path the root of the service is meant.
   */
  readonly path?: string;
}

/**
 * Refuses who may not use a service.
 *
 * @param access the service
 * @param context the context of the request, whose user is known
 * @param endpoint what is asked for
 * @throws ServiceError 401 without login, 403 without role
 */
export function authorizeService(
  { definition, model, host }: ServiceAccess,
  context: EventContext,
  endpoint: ServiceEndpoint = {},
): void {
  const settings = authenticationSettings(host);
  if (settings.publicMetadata && isMetadata(endpoint.path)) return;
  if (definition) assertServiceRoles(definition, context.user, settings);
  if (definition && hasOwnRestriction(definition)) return;
  if (isAuthenticated(context.user) || !needsAuthentication(definition, settings)) return;
  if (definition && isOpenMember(definition, model, endpoint.path)) return;
  throw unauthorized();
}

/**
 * Refuses who has none of the roles that a service requires.
 *
 * @param definition the service
 * @param user who asks
 * @param settings the settings in effect
 * @throws ServiceError 401 or 403
 */
export function assertServiceRoles(
  definition: LinkedService,
  user: User,
  settings: AuthenticationSettings,
): void {
  const restrictions = ownRestrictions(definition);
  if (restrictions.length === 0) return;
  const caller = { user, isAdmitted: settings.neverRefuses || isAuthenticated(user) };
  for (const restriction of restrictions) {
    if (!isMet(restriction, caller)) throw lacksRole(definition, user, settings);
  }
}

function isMet(restriction: Restriction, caller: Caller): boolean {
  for (const one of restriction) if (isGiven(one, caller)) return true;
  return false;
}

function lacksRole(definition: LinkedService, user: User, settings: AuthenticationSettings): ServiceError {
  return refusal({ user, settings }, () => missingRole(definition));
}

/** Whether a path is that of a description of the service: `$metadata`, `openapi.json`. */
function isMetadata(path: string | undefined): boolean {
  return path !== undefined && /^\/?(?:\$metadata|openapi\.json)(?:\?|$)/.test(path);
}

/** Whether the first segment of a path names an entity, operation or event that carries `any` itself (spec 5.2.7). */
function isOpenMember(service: LinkedService, model: LinkedModel, path: string | undefined): boolean {
  const name = /^\/?([\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}_.]*)/u.exec(path ?? "")?.[1];
  if (name === undefined) return false;
  const local = name.startsWith(`${service.name}.`) ? name.slice(service.name.length + 1) : name;
  if (Object.hasOwn(service.operations, local)) {
    return admitsAny(ownRestrictions(service.operations[local]!));
  }
  if (Object.hasOwn(service.events, local)) return admitsAny(ownRestrictions(service.events[local]!));
  for (const entity of service.entities) {
    if (entity.$localName.replaceAll(".", "_") === local) return isOpen(entity, model);
  }
  return false;
}

/** Whether somebody without login may use an entity; parts as one of what they are parts of, by whose rows they are restricted. */
function isOpen(entity: LinkedEntity, model: LinkedModel): boolean {
  if (isOwnAuthority(entity)) return isOpenToAny(entity);
  return parentsOf(model, entity).some((parent) => isOpen(parent, model));
}
