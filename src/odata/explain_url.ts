/**
 * What a URL means, for those who ask why it is answered as it is.
 *
 * @module
 */

import { toXo } from "../algebra/to_cqn.ts";
import type { EventContext } from "../context/event_context.ts";
import { User } from "../context/user.ts";
import type { LinkedEntity } from "../model/linked.ts";
import { accessOf } from "../service/authorization/pass.ts";
import { endpointPass } from "../service/authorization/pass_of.ts";
import { restrictQuery } from "../service/authorization/restrict_query.ts";
import type { UrlExplanation } from "../service/wire/protocol_adapter.ts";
import type { ProtocolScope } from "./exchange.ts";
import { parseUrl } from "./url/parse_url.ts";

/**
 * Explains the URL of a GET request.
 *
 * @param scope the service
 * @param context whose restrictions count
 * @param rawUrl the raw URL below the root of the service
 * @throws ServiceError for a URL that means nothing, and for what the user may not read
 */
export function explainUrl(scope: ProtocolScope, context: EventContext, rawUrl: string): UrlExplanation {
  const plan = scope.plan(rawUrl, "GET");
  const url = { tree: parseUrl(rawUrl, scope.host.limits) };
  if (!("query" in plan)) return url;
  const { query, queryParams: params, target } = plan;
  if (context.user instanceof User.Privileged) {
    return { ...url, query, params, permitted: query, access: "all" };
  }
  const pass = endpointPass(context, scope);
  const permitted = restrictQuery(pass, query, "READ");
  return { ...url, query, params, permitted, ...target && { access: conditionOf(target) } };

  function conditionOf(entity: LinkedEntity): UrlExplanation["access"] {
    const access = accessOf(pass, entity, "READ");
    return typeof access === "string" ? access : access.where ? toXo(access.where) : "all";
  }
}
