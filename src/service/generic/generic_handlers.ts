/**
 * The generic handlers of an application service: each hands its event to the database.
 *
 * @module
 */

import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { DatabaseService } from "../database_service.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import type { Query, Row } from "../../cqn/cqn.ts";
import { andThenWithin } from "../../context/store.ts";
import { fillManaged } from "../validation/fill_managed.ts";

/** What a generic handler works with. */
export interface GenericScope {
  /** The primary database. */
  readonly db: DatabaseService;
  /** Whether another handler of the service sees the result. */
  readonly isObserved: boolean;
}

/** Handles an event by the database. */
export type GenericHandler = (req: ServiceRequest, scope: GenericScope) => MaybePromise<unknown>;

/** The error for an addressed row that does not exist. */
export function rowNotFound(): ServiceError {
  return new ServiceError({ status: 404 });
}

/**
 * Inserts rows.
 *
 * @param req the request
 * @param scope the database
 * @returns the data of the request, with what was generated
 */
export function createRows(req: ServiceRequest, { db }: GenericScope): MaybePromise<unknown> {
  const { query, params } = req.statement ?? { query: insertOf(req) };
  return andThen(db.perform({ query, params }), () => req.data);
}

function insertOf(req: ServiceRequest): Query {
  const entries = (Array.isArray(req.data) ? req.data : [req.data]) as Row[];
  return { INSERT: { into: req.subject, entries } };
}

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

/**
 * Updates the rows that exist, and inserts the others.
 *
 * @param req the request
 * @param scope the database
 * @returns the data of the request
 */
export function upsertRows(req: ServiceRequest, { db }: GenericScope): MaybePromise<unknown> {
  const { query, params } = req.statement ?? { query: upsertOf(req) };
  fillManaged(query, { model: db.model, context: req });
  return andThen(db.perform({ query, params }), () => req.data);
}

function upsertOf(req: ServiceRequest): Query {
  const entries = (Array.isArray(req.data) ? req.data : [req.data]) as Row[];
  return { UPSERT: { into: req.subject, entries } };
}

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
