/**
 * READ by the database.
 *
 * @module
 */

import { andThenWithin } from "../../context/store.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import type { GenericScope } from "./generic_handler.ts";

/**
 * Reads rows. Where nobody but the protocol sees them, the database writes them as JSON text, and gives those of a large
 * result one group after the other.
 *
 * @param req the request
 * @param scope the database
 * @returns rows, one row, null, `JsonRows`, or `RowCursor`
 */
export function readRows(req: ServiceRequest, { db, isObserved }: GenericScope): MaybePromise<unknown> {
  const { query, params } = req.statement ?? { query: { SELECT: { from: req.subject } } };
  if (isObserved || !("SELECT" in query)) return db.perform({ query, params });
  const cursor = req.acceptsCursor
    ? db.openCursor({ query, params }, { asText: req.acceptsJson })
    : undefined;
  return andThenWithin<unknown, unknown>(req, cursor, (opened) => {
    if (opened !== undefined) return opened;
    const text = req.acceptsJson ? db.readJson(query, params) : undefined;
    return andThen<unknown, unknown>(text, (json) => json ?? db.perform({ query, params }));
  });
}
