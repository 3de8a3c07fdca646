/**
 * READ requests to the service, and the rows they give.
 *
 * @module
 */

import type { Query, QueryParams, Row, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { Rows } from "../../service/database.ts";
import { ServiceRequest } from "../../service/requests/service_request.ts";
import { type Exchange, withRequest } from "../exchange.ts";
import type { Plan } from "../plan/plan.ts";
import { anyOf, equalities } from "../../cqn/conjunction.ts";
import { keyNames } from "../../model/keys.ts";

/** What differs from the plan in a READ request. */
export interface ReadOptions {
  readonly query?: Query;
  readonly queryParams?: QueryParams;
  /** JSON text of the database is welcome. */
  readonly acceptsJson?: boolean;
  /** A cursor of the database is welcome. */
  readonly acceptsCursor?: boolean;
  /** Keys of the one row to read, which the path does not hold. */
  readonly keys?: Row;
}

/**
 * The READ request of a plan.
 *
 * @param exchange the exchange
 * @param plan the plan
 * @param options what differs from the plan
 */
export function readRequest(exchange: Exchange, plan: Plan, options: ReadOptions = {}): ServiceRequest {
  const { keys } = options;
  const { target, path } = plan.rows ?? plan;
  const subject = keys && { ref: [{ id: target!.name, where: equalities(keys) }] };
  const request = new ServiceRequest({
    context: exchange.context,
    part: exchange.part,
    event: "READ",
    query: options.query ?? plan.query,
    queryParams: options.queryParams ?? plan.queryParams,
    target,
    path,
    params: keys ? [...plan.addressed.params, keys] : plan.addressed.params,
    subject: subject ?? plan.addressed.subject,
    acceptsJson: options.acceptsJson,
    acceptsCursor: options.acceptsCursor,
  });
  return withRequest(exchange, request);
}

/**
 * A condition that names rows by their keys.
 *
 * @param entity the entity
 * @param rows rows with all keys
 */
export function anyOfRows(entity: LinkedEntity, rows: readonly Row[]): Xo[] {
  return anyOf(keyNames(entity), rows);
}

/** The rows of whatever a handler returned for a collection. */
export function toRows(result: unknown): Rows {
  if (result === null || result === undefined) return [];
  return Array.isArray(result) ? result : [result as Row];
}

/** The first row of whatever a handler returned; undefined where there is none. */
export function firstRow(result: unknown): Row | undefined {
  const row = Array.isArray(result) ? result[0] : result;
  return typeof row === "object" && row !== null ? row as Row : undefined;
}
