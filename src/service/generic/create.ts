/**
 * CREATE by the database.
 *
 * @module
 */

import type { Query, Row } from "../../cqn/cqn.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import type { GenericScope } from "./generic_handler.ts";

/**
 * Inserts rows.
 *
 * @param req the request
 * @param scope the database
 * @returns the data of the request, with what was generated
 */
export function createRows(req: ServiceRequest, { db }: GenericScope): MaybePromise<unknown> {
  const { query, params } = req.statement ?? { query: insertOf(req) };
  return andThen(db.perform({ query, params }), () => req.data);
}

function insertOf(req: ServiceRequest): Query {
  const entries = (Array.isArray(req.data) ? req.data : [req.data]) as Row[];
  return { INSERT: { into: req.subject, entries } };
}
