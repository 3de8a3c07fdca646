/**
 * New rows that are judged by themselves.
 *
 * @module
 */

import type { LinkedEntity } from "../../model/linked.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { entityAccess } from "../authorization/access.ts";
import { isRestricted } from "../authorization/restrictions.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { targetRulesOf } from "../validation/element_rules.ts";

/**
 * Whether a request to create a row is decided without a look at other rows: it is no part of one, has no parts and no
 * references that are checked, and its user may create any.
 *
 * @param req the request
 */
export function isSelfContained(req: ServiceRequest): boolean {
  const { target, data, subject, user } = req;
  if (target === undefined || !isPlainObject(data) || subject.ref.length > 1) return false;
  if (targetRulesOf(target).length > 0 || hasParts(target, data)) return false;
  return !isRestricted(target) || entityAccess(target, "CREATE", user) === "all";
}

function hasParts(entity: LinkedEntity, data: Readonly<Record<string, unknown>>): boolean {
  for (const { name } of entity.compositions) if (data[name] !== undefined) return true;
  return false;
}
