/**
 * CREATE by the database.
 *
 * @module
 */

import type { Query, Row } from "../../cqn/cqn.ts";
import type { ServiceRequest } from "../service_request.ts";
import type { GenericScope } from "./generic_handler.ts";

/**
 * Inserts rows.
 *
 * @param req the request
 * @param scope the database
 * @returns the data of the request, with what was generated
 */
export async function createRows(req: ServiceRequest, { db }: GenericScope): Promise<unknown> {
  const { query, params } = req.statement ?? { query: insertOf(req) };
  await db.run(query, params);
  return req.data;
}

function insertOf(req: ServiceRequest): Query {
  const entries = (Array.isArray(req.data) ? req.data : [req.data]) as Row[];
  return { INSERT: { into: req.subject, entries } };
}
