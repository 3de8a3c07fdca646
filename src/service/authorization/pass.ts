/**
 * What the authorization pass over a query knows: who asks, and what the entities it touches permit.
 *
 * @module
 */

import type { User } from "../../context/user.ts";
import { isGenerated } from "../../model/exposure.ts";
import type { LinkedEntity, LinkedModel, LinkedService } from "../../model/linked.ts";
import { type Access, entityAccess } from "./access.ts";
import { type AuthenticationSettings, needsAuthentication } from "./authentication_need.ts";
import { forbidden, isAuthenticated, refusal } from "./refusals.ts";
import { isRestricted } from "./restrictions.ts";

/** The pass over one request. */
export interface Pass {
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

/**
 * What the user may do to an entity. What carries no restriction itself is an endpoint that may need authentication
 * (spec 5.2.7).
 *
 * @param pass the pass
 * @param entity an entity that a query touches
 * @param event what is done to it
 * @returns a condition, `"all"`, or `"none"`
 */
export function accessOf(pass: Pass, entity: LinkedEntity, event: string): Access {
  if (isRestricted(entity)) return entityAccess(entity, event, pass.user);
  return isOpen(pass) ? "all" : "none";
}

/**
 * What the user may do to an entity.
 *
 * @param pass the pass
 * @param entity an entity that a query touches
 * @param event what is done to it
 * @returns a condition, or `"all"`
 * @throws ServiceError 401 or 403 when a role or the login is missing
 */
export function grantedAccess(pass: Pass, entity: LinkedEntity, event: string): Exclude<Access, "none"> {
  const access = accessOf(pass, entity, event);
  if (access === "none") throw refusal(pass.user, pass.settings);
  return access;
}

/**
 * Refuses those who have to log in for what carries no restriction itself (spec 5.2.7).
 *
 * @throws ServiceError 401
 */
export function assertOpen(pass: Pass): void {
  if (!isOpen(pass)) throw refusal(pass.user, pass.settings);
}

function isOpen({ isEndpoint, user, service, settings }: Pass): boolean {
  return !isEndpoint || isAuthenticated(user) || !needsAuthentication(service, settings);
}

/**
 * Whether an entity stands for itself. Others are restricted like the last entity before them in a path that does
 * (auth 7).
 */
export function isOwnAuthority(entity: LinkedEntity): boolean {
  return isRestricted(entity) || !isGenerated(entity);
}

/**
 * Refuses access to a generated entity without path from its parent, unless everything is permitted in the parents.
 *
 * @throws ServiceError 401 or 403
 */
export function assertParents(pass: Pass, entity: LinkedEntity, event: string): void {
  assertOpen(pass);
  for (const parent of parentsOf(pass.model, entity)) {
    if (isOwnAuthority(parent) && grantedAccess(pass, parent, event) !== "all") throw forbidden();
    if (!isOwnAuthority(parent)) assertParents(pass, parent, event);
  }
}

/** The entities of the same service with a composition of the entity, itself aside. */
function parentsOf(model: LinkedModel, entity: LinkedEntity): readonly LinkedEntity[] {
  const parents = model.derived(parentsOf, (linked) => {
    const found = new Map<LinkedEntity, LinkedEntity[]>();
    for (const one of linked.entities()) {
      for (const composition of one.compositions) {
        const target = composition.$target;
        if (!target || target === one || target.$service !== one.$service) continue;
        const known = found.get(target) ?? [];
        if (isParent(found, target, one)) found.set(target, [...known, one]);
      }
    }
    return found;
  });
  return parents.get(entity) ?? [];
}

/** Compositions that lead back to the entity itself give no parent. */
function isParent(
  parents: ReadonlyMap<LinkedEntity, readonly LinkedEntity[]>,
  entity: LinkedEntity,
  parent: LinkedEntity,
): boolean {
  const open = [parent];
  const seen = new Set<LinkedEntity>();
  for (let one = open.pop(); one; one = open.pop()) {
    if (one === entity) return false;
    if (seen.has(one)) continue;
    seen.add(one);
    open.push(...parents.get(one) ?? []);
  }
  return true;
}
