/**
 * UPDATE by the database.
 *
 * @module
 */

import type { Query, Row } from "../../cqn/cqn.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { type GenericScope, rowNotFound } from "./generic_handler.ts";

/**
 * Updates rows.
 *
 * @param req the request
 * @param scope the database
 * @returns the data of a request that addresses a row, else the number of rows
 * @throws ServiceError 404 when the addressed row does not exist
 */
export function updateRows(req: ServiceRequest, { db }: GenericScope): MaybePromise<unknown> {
  const { query, params } = req.statement ?? { query: updateOf(req) };
  return andThen(db.perform({ query, params }), (affected) => {
    if (!req.isAddressed) return affected;
    if (affected === 0) throw rowNotFound();
    return req.data;
  });
}

function updateOf(req: ServiceRequest): Query {
  return { UPDATE: { entity: req.subject, data: req.data as Row } };
}
