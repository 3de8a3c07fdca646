/**
 * UPSERT by the database.
 *
 * @module
 */

import type { Query, Row } from "../../cqn/cqn.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { fillManaged } from "../validation/fill_managed.ts";
import type { GenericScope } from "./generic_handler.ts";

/**
 * Updates the rows that exist, and inserts the others.
 *
 * @param req the request
 * @param scope the database
 * @returns the data of the request
 */
export function upsertRows(req: ServiceRequest, { db }: GenericScope): MaybePromise<unknown> {
  const { query, params } = req.statement ?? { query: upsertOf(req) };
  fillManaged(query, { model: db.model, context: req });
  return andThen(db.perform({ query, params }), () => req.data);
}

function upsertOf(req: ServiceRequest): Query {
  const entries = (Array.isArray(req.data) ? req.data : [req.data]) as Row[];
  return { UPSERT: { into: req.subject, entries } };
}
