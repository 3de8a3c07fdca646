/**
 * What the authorization pass over a query knows: who asks, and what the entities it touches permit.
 *
 * @module
 */

import type { User } from "../../context/user.ts";
import { isGenerated, PART_BY } from "../../model/exposure.ts";
import type { LinkedEntity, LinkedModel, LinkedService } from "../../model/linked.ts";
import type { Access, Caller, EventName } from "./access.ts";
import {
  type AuthenticationSettings,
  isAuthenticated,
  missingRole,
  needsAuthentication,
  refusal,
} from "./refusals.ts";
import { knownAccess } from "./privileges.ts";
import { isRestricted, restrictionsHeld } from "./view_restrictions.ts";

/** What a pass is made for. */
export interface PassOptions {
  /** The linked model. */
  readonly model: LinkedModel;
  /** The service asked. */
  readonly service: LinkedService | undefined;
  /** Who asks. */
  readonly user: User;
  /** The settings of authentication in effect. */
  readonly settings: AuthenticationSettings;
  /** Whether the request came from outside, not from a handler. */
  readonly isEndpoint: boolean;
}

/** The pass over one request. */
export interface Pass extends PassOptions, Caller {
  /** What the user may do to a view whose query has to be restricted itself. */
  readonly viewAccess: (pass: Pass, view: LinkedEntity, event: EventName) => Access;
  /** Whether the pass is over the query of a view: what its entities allow to clients does not matter there. */
  readonly isInView?: boolean;
}

/**
 * Whether somebody gets as far as to what carries no restriction itself, which is an endpoint that may need
 * authentication (spec 5.2.7).
 *
 * @param options the pass
 */
export function isAdmitted({ isEndpoint, user, service, settings }: PassOptions): boolean {
  return !isEndpoint || isAuthenticated(user) || !needsAuthentication(service, settings);
}

/**
 * What the user may do to an entity.
 *
 * @param pass the pass
 * @param entity an entity that a query touches
 * @param event what is done to it
 * @returns the permitted rows, `"all"`, or `"none"`
 */
export function accessOf(pass: Pass, entity: LinkedEntity, event: EventName): Access {
  if (!isRestricted(entity)) return pass.isAdmitted ? "all" : "none";
  const held = restrictionsHeld(entity);
  return held === "by query" ? pass.viewAccess(pass, entity, event) : knownAccess(pass, held, event);
}

/**
 * What the user may do to an entity.
 *
 * @param pass the pass
 * @param entity an entity that a query touches
 * @param event what is done to it
 * @returns the permitted rows, or `"all"`
 * @throws ServiceError 401 or 403 when a role or the login is missing
 */
export function grantedAccess(pass: Pass, entity: LinkedEntity, event: EventName): Exclude<Access, "none"> {
  const access = accessOf(pass, entity, event);
  if (access === "none") throw refusal(pass, () => missingRole(entity, event));
  return access;
}

/**
 * Refuses those who have to log in for what carries no restriction itself (spec 5.2.7).
 *
 * @throws ServiceError 401
 */
export function assertOpen(pass: Pass): void {
  if (!pass.isAdmitted) throw refusal(pass, () => "a login is missing");
}

/**
 * Whether an entity stands for itself. Others are restricted like the last entity before them in a path that does
 * (auth 7).
 */
export function isOwnAuthority(entity: LinkedEntity): boolean {
  return isRestricted(entity) || !(isGenerated(entity) || entity[PART_BY] !== undefined);
}
