/**
 * The authorization pass that belongs to a request.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import { User } from "../../context/user.ts";
import { fromQuery } from "../../algebra/from_cqn.ts";
import type { TreeQuery } from "../../algebra/tree.ts";
import type { Query, QueryParams } from "../../cqn/cqn.ts";
import type { LinkedEntity, LinkedService } from "../../model/linked.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { ServiceEvent } from "../requests/service_event.ts";
import { authenticationSettings } from "./refusals.ts";
import { isAdmitted, type Pass, type PassOptions } from "./pass.ts";
import { isServiceError } from "../../errors/service_error.ts";
import { viewQuery } from "../../model/runtime_view.ts";
import type { Access, EventName } from "./access.ts";
import { restrictTree } from "./restrict_query.ts";

/** Reads rows in the transaction of the request. */
export interface RowReader {
  /** Runs a query. */
  run(query: Query, params?: QueryParams): Promise<unknown>;
  /** Runs a query, without a promise where nothing is to be waited for. */
  perform(statement: { readonly query: Query; readonly params?: QueryParams }): MaybePromise<unknown>;
  /** Whether nobody but the database takes part in queries. */
  needsNoContext?(context: EventContext): boolean;
}

/** What the pass needs of the service and its runtime. */
export interface AuthorizationScope {
  /** Definition of the service asked. */
  readonly definition: LinkedService | undefined;
  /** The model in effect. */
  readonly model: Pass["model"];
  /** The runtime: configuration, database. */
  readonly host: {
    readonly env: Readonly<Record<string, unknown>>;
    readonly production: boolean;
    readonly isAuthenticationOff?: boolean;
    readonly db: RowReader | undefined;
  };
}

/** The pass over a request, or over what is done for one in its context. */
export function passOf(req: EventContext, { definition, model, host }: AuthorizationScope): Pass {
  return createPass({
    model,
    service: definition,
    user: req.user,
    settings: authenticationSettings(host),
    isEndpoint: req.http !== undefined && !hasCaller(req),
  });
}

/** The pass over what a protocol does beside the request: always for a request from outside. */
export function endpointPass({ user }: EventContext, scope: AuthorizationScope): Pass {
  const { host, model, definition: service } = scope;
  return createPass({ model, service, user, settings: authenticationSettings(host), isEndpoint: true });
}

function createPass(options: PassOptions): Pass {
  const { model, service, user, settings, isEndpoint } = options;
  return { model, service, user, settings, isEndpoint, isAdmitted: isAdmitted(options), viewAccess };
}

/** Whether the user passes every check. */
export function isPrivileged({ user }: EventContext): boolean {
  return user instanceof User.Privileged;
}

/** Whether a handler of another request sent this one. */
function hasCaller(req: EventContext): boolean {
  for (let one = req.parent; one; one = one.parent) if (one instanceof ServiceEvent) return true;
  return false;
}

const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/**
 * What a user may do to a view that carries no restriction itself. The conditions of the entities it reads hold where it
 * reads them: columns of the view may have the same names and other values.
 *
 * @param pass who asks
 * @param view a view that reads restricted entities
 * @param event what is done to its rows; what only paths and subqueries lead to is read
 * @returns the query to read in place of the view's own; `"none"` where a role is missing for one of the entities
 */
function viewAccess(pass: Pass, view: LinkedEntity, event: EventName): Access {
  const query = fromQuery(viewQuery(view)!); // only views come here
  let restricted: TreeQuery;
  try {
    restricted = restrictTree({ ...pass, isInView: true }, query, event);
  } catch (error) {
    if (isServiceError(error) && REFUSED.has(Number(error.status))) return "none";
    throw error;
  }
  if (restricted === query) return "all";
  // handlers answer for what no database has: they know no other query than the one they were written for
  return view["@cds.persistence.skip"] === true ? "none" : { query: restricted };
}
