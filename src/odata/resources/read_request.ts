/**
 * Singletons: one row, whatever the table behind them holds (CSDL 13.3).
 *
 * @module
 */

import type { Query, QueryParams, RefExpression, Row, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { Rows } from "../../service/database.ts";
import { ServiceRequest } from "../../service/requests/service_request.ts";
import { type Exchange, withRequest } from "../exchange.ts";
import type { EntityPlan } from "../plan/plan.ts";
import { anyOf, equalities } from "../../cqn/conjunction.ts";
import { keyNames } from "../../model/keys.ts";
import { isServiceError, unsupported } from "../../errors/service_error.ts";
import { restrictedRead } from "../../service/authorization/restricted_read.ts";
import { runWithContext } from "../../context/store.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { isSingleton } from "../../model/service_document.ts";

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
export function readRequest(exchange: Exchange, plan: EntityPlan, options: ReadOptions = {}): ServiceRequest {
  const { keys } = options;
  const { target, path } = plan.rows ?? plan;
  const subject = keys && { ref: [{ id: target.name, where: equalities(keys) }] };
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

/** Rows of the database that the user may see, whatever handlers the service has; none without a database. */
export async function visibleRows(
  { scope, context }: Exchange,
  query: Query,
  params?: QueryParams,
): Promise<Rows> {
  return toRows(await scope.host.db?.run(restrictedRead(query, context, scope), params));
}

/**
 * Makes sure that there is a database.
 *
 * @param exchange the exchange
 * @param needed what cannot be answered without, and "needs"
 * @throws ServiceError 501
 */
export function assertDatabase({ scope }: Exchange, needed: string): void {
  if (!scope.host.db) throw unsupported(`${needed} a database`);
}

/** The first row of whatever a handler returned; undefined where there is none. */
export function firstRow(result: unknown): Row | undefined {
  const row = Array.isArray(result) ? result[0] : result;
  return typeof row === "object" && row !== null ? row as Row : undefined;
}

/** What a request addresses. */
export interface Instance {
  readonly subject: RefExpression;
  /** Keys of a singleton, which the URL does not hold. */
  readonly keys?: Row;
}

/**
 * What a request addresses; of a singleton whose table has several rows it is the one that reading shows.
 *
 * @param exchange the exchange
 * @param plan the plan of an entity, or of what is below it
 */
export function addressedInstance(exchange: Exchange, plan: EntityPlan): MaybePromise<Instance> {
  const subject = plan.addressed.subject;
  const { target } = plan;
  if (!isSingleton(target) || subject.ref.length > 1 || typeof subject.ref[0] !== "string") {
    return { subject };
  }
  return runWithContext(exchange.context, () => shownInstance(exchange, plan, { target, subject }));
}

async function shownInstance(
  exchange: Exchange,
  plan: EntityPlan,
  { target, subject }: { readonly target: LinkedEntity; readonly subject: RefExpression },
): Promise<Instance> {
  const { db } = exchange.scope.host;
  if (!db || target["@cds.persistence.skip"] === true || target.$flatKeys.length === 0) return { subject };
  const columns = target.$flatKeys.map(({ name }) => ({ ref: [name] }));
  const limit = { rows: { val: 2 } };
  const rows = await db.run({ SELECT: { from: subject, columns, limit } }) as readonly Row[];
  if (rows.length === 0) return { subject };
  const row = rows.length === 1 ? rows[0]! : await shownRow(exchange, plan) ?? rows[0]!;
  const keys = Object.fromEntries(target.$flatKeys.map(({ name }) => [name, row[name]]));
  return { subject: { ref: [{ id: subject.ref[0] as string, where: equalities(keys) }] }, keys };
}

/** The row that the caller sees; undefined if there is none. */
async function shownRow(exchange: Exchange, plan: EntityPlan): Promise<Row | undefined> {
  try {
    const query = { SELECT: { one: true, from: plan.addressed.subject } };
    return firstRow(await exchange.scope.service.dispatch(readRequest(exchange, plan, { query })));
  } catch (error) {
    // Who may not read may be allowed to write.
    if (isServiceError(error) && [401, 403, 404, 405].includes(Number(error.status))) return undefined;
    throw error;
  }
}
