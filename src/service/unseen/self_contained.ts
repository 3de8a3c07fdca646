/**
 * New rows that are judged by themselves.
 *
 * @module
 */

import type { LinkedEntity } from "../../model/linked.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { accessOf } from "../authorization/pass.ts";
import { type AuthorizationScope, passOf } from "../authorization/pass_of.ts";
import { isRestricted } from "../authorization/view_restrictions.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { targetRulesOf } from "../validation/element_rules.ts";

/**
 * Whether a request to create a row is decided without a look at other rows: it is no part of one, has no parts and no
 * references that are checked, and its user may create any.
 *
 * @param req the request
 * @param scope the service
 */
export function isSelfContained(req: ServiceRequest, scope: AuthorizationScope): boolean {
  const { target, data, subject } = req;
  if (target === undefined || !isPlainObject(data) || subject.ref.length > 1) return false;
  if (targetRulesOf(target).length > 0 || hasParts(target, data)) return false;
  return !isRestricted(target) || accessOf(passOf(req, scope), target, "CREATE") === "all";
}

function hasParts(entity: LinkedEntity, data: Readonly<Record<string, unknown>>): boolean {
  for (const { name } of entity.compositions) if (data[name] !== undefined) return true;
  return false;
}
