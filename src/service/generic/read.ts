/**
 * READ by the database.
 *
 * @module
 */

import type { ServiceRequest } from "../service_request.ts";
import type { GenericScope } from "./generic_handler.ts";

/**
 * Reads rows. Where nobody but the protocol sees them, the database writes them as JSON text.
 *
 * @param req the request
 * @param scope the database
 * @returns rows, one row, null, or `JsonRows`
 */
export async function readRows(req: ServiceRequest, { db, isObserved }: GenericScope): Promise<unknown> {
  const { query, params } = req.statement ?? { query: { SELECT: { from: req.subject } } };
  if (req.acceptsJson && !isObserved && "SELECT" in query) {
    const json = await db.readJson(query, params);
    if (json !== undefined) return json;
  }
  return await db.run(query, params);
}
