/**
 * Writes of temporal data by key: they mean the slice that is valid at the time of the request, never all of them.
 *
 * @module
 */

import type { Query, Row, Xo } from "../../cqn/cqn.ts";
import { validSlice } from "../../model/valid_slice.ts";
import { addressedKeys } from "../requests/addressed_keys.ts";
import type { ServiceRequest } from "../requests/service_request.ts";

/**
 * Limits an UPDATE or DELETE that addresses a row of temporal data to the slice that is valid at the time of the request.
 *
 * @param req the request, whose statement gets the condition
 */
export function limitToSlice(req: ServiceRequest): void {
  const { target, event } = req;
  if (!target || (event !== "UPDATE" && event !== "DELETE")) return;
  const slice = validSlice(target);
  if (slice.length === 0) return;
  const { query, params } = req.statement ?? { query: statementOf(req) };
  if (!req.isAddressed && addressedKeys(query, target) === undefined) return;
  req.statement = { query: withCondition(query, slice), params };
}

function statementOf({ event, subject, data }: ServiceRequest): Query {
  return event === "DELETE"
    ? { DELETE: { from: subject } }
    : { UPDATE: { entity: subject, data: data as Row } }; // checked before
}

function withCondition(query: Query, condition: readonly Xo[]): Query {
  if ("UPDATE" in query) return { UPDATE: { ...query.UPDATE, where: and(query.UPDATE.where, condition) } };
  if ("DELETE" in query) return { DELETE: { ...query.DELETE, where: and(query.DELETE.where, condition) } };
  return query;
}

function and(where: readonly Xo[] | undefined, condition: readonly Xo[]): readonly Xo[] {
  return where === undefined ? condition : [{ xpr: where }, "and", ...condition];
}
