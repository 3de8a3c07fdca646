/**
 * What protocols do beside the request: with the conditions and roles of the user all the same.
 *
 * @module
 */

import { User } from "../../context/user.ts";
import type { EventContext } from "../../context/event_context.ts";
import type { DeleteQuery, Query, UpdateQuery } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { incapability } from "./assert_capable.ts";
import { accessOf } from "./pass.ts";
import { type AuthorizationScope, endpointPass } from "./pass_of.ts";
import { restrictQuery } from "./restrict_query.ts";

/**
 * A query that finds only rows that the user of a request from outside may read.
 *
 * @param query a query that reads
 * @param context the context of the request
 * @param scope the service; a `Service` of a runtime fits
 * @throws ServiceError 401 or 403 when a role is missing
 */
export function restrictedRead(query: Query, context: EventContext, scope: AuthorizationScope): Query {
  return context.user instanceof User.Privileged
    ? query
    : restrictQuery(endpointPass(context, scope), query, "READ");
}

/**
 * Refuses a write by a user of a request from outside who lacks a role for it, whatever the rows are.
 *
 * @param query the update or deletion
 * @param context the context of the request
 * @param scope the service; a `Service` of a runtime fits
 * @throws ServiceError 401 or 403
 */
export function assertRoles(
  query: UpdateQuery | DeleteQuery,
  context: EventContext,
  scope: AuthorizationScope,
): void {
  if (context.user instanceof User.Privileged) return;
  restrictQuery(endpointPass(context, scope), query, "UPDATE" in query ? "UPDATE" : "DELETE");
}

/**
 * Whether the user of a request from outside may read all rows of an entity.
 *
 * @param entity the entity
 * @param context the context of the request
 * @param scope the service; a `Service` of a runtime fits
 */
export function mayReadAll(entity: LinkedEntity, context: EventContext, scope: AuthorizationScope): boolean {
  if (incapability(entity, "READ") !== undefined) return false;
  return context.user instanceof User.Privileged ||
    accessOf(endpointPass(context, scope), entity, "READ") === "all";
}
