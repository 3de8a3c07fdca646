/**
 * DELETE by the database.
 *
 * @module
 */

import type { ServiceRequest } from "../requests/service_request.ts";
import { type GenericScope, rowNotFound } from "./generic_handler.ts";

/**
 * Deletes rows.
 *
 * @param req the request
 * @param scope the database
 * @returns the number of rows
 * @throws ServiceError 404 when the addressed row does not exist
 */
export async function deleteRows(req: ServiceRequest, { db }: GenericScope): Promise<unknown> {
  const { query, params } = req.statement ?? { query: { DELETE: { from: req.subject } } };
  const affected = await db.run(query, params);
  if (req.isAddressed && affected === 0) throw rowNotFound();
  return affected;
}
