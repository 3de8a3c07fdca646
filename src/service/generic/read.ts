/**
 * READ by the database.
 *
 * @module
 */

import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import type { ServiceRequest } from "../service_request.ts";
import type { GenericScope } from "./generic_handler.ts";

/**
 * Reads rows. Where nobody but the protocol sees them, the database writes them as JSON text.
 *
 * @param req the request
 * @param scope the database
 * @returns rows, one row, null, or `JsonRows`
 */
export function readRows(req: ServiceRequest, { db, isObserved }: GenericScope): MaybePromise<unknown> {
  const { query, params } = req.statement ?? { query: { SELECT: { from: req.subject } } };
  const asText = req.acceptsJson && !isObserved && "SELECT" in query;
  const text = asText ? db.readJson(query, params) : undefined;
  return andThen<unknown, unknown>(text, (json) => json ?? db.perform({ query, params }));
}
