/**
 * Reads that protocols make beside the request: with the conditions of the user all the same.
 *
 * @module
 */

import { User } from "../../context/user.ts";
import type { EventContext } from "../../context/event_context.ts";
import type { Query } from "../../cqn/cqn.ts";
import { authenticationSettings } from "./authentication_need.ts";
import type { AuthorizationScope } from "./pass_of.ts";
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
  const { user } = context;
  if (user instanceof User.Privileged) return query;
  const { host, model, definition: service } = scope;
  const settings = authenticationSettings(host);
  return restrictQuery({ model, service, user, settings, isEndpoint: true }, query, "READ");
}
