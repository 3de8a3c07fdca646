/**
 * DELETE by the database.
 *
 * @module
 */

import type { ServiceRequest } from "../requests/service_request.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { type GenericScope, rowNotFound } from "./generic_handler.ts";

/**
 * Deletes rows.
 *
 * @param req the request
 * @param scope the database
 * @returns the number of rows
 * @throws ServiceError 404 when the addressed row does not exist
 */
export function deleteRows(req: ServiceRequest, { db }: GenericScope): MaybePromise<unknown> {
  const { query, params } = req.statement ?? { query: { DELETE: { from: req.subject } } };
  return andThen(db.perform({ query, params }), (affected) => {
    if (req.isAddressed && affected === 0) throw rowNotFound();
    return affected;
  });
}
