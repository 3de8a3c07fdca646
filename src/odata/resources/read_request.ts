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
  const subject = keys && { ref: [{ id: target!.name, where: keyCondition(keys) }] };
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

/** A condition that names all keys. */
export function keyCondition(keys: Row): Xo[] {
  const condition: Xo[] = [];
  for (const name of Object.keys(keys)) {
    if (condition.length > 0) condition.push("and");
    condition.push({ ref: [name] }, "=", { val: keys[name] as string });
  }
  return condition;
}

/**
 * A condition that names rows by their keys.
 *
 * @param entity the entity
 * @param rows rows with all keys
 */
export function anyOfRows(entity: LinkedEntity, rows: readonly Row[]): Xo[] {
  return anyOf(entity.$flatKeys.filter((key) => !key.virtual).map((key) => key.name), rows);
}

/**
 * A condition that names rows by the values of some elements.
 *
 * @param names the elements
 * @param rows rows with these values
 */
export function anyOf(names: readonly string[], rows: readonly Row[]): Xo[] {
  const [name, ...others] = names;
  if (name !== undefined && others.length === 0) {
    return [{ ref: [name] }, "in", { list: rows.map((row) => ({ val: row[name] as string })) }];
  }
  return eitherOf(rows.map((row) =>
    keyCondition(Object.fromEntries(
      [name!, ...others].map((key) => [key, row[key]]),
    ))
  ));
}

/** Halves keep the nesting of large conditions low. */
function eitherOf(conditions: readonly Xo[][]): Xo[] {
  if (conditions.length <= 1) return conditions[0] ?? [];
  const middle = conditions.length >> 1;
  return [
    { xpr: eitherOf(conditions.slice(0, middle)) },
    "or",
    { xpr: eitherOf(conditions.slice(middle)) },
  ];
}

/** The rows of whatever a handler returned for a collection. */
export function toRows(result: unknown): Rows {
  if (result === null || result === undefined) return [];
  return Array.isArray(result) ? result : [result as Row];
}
