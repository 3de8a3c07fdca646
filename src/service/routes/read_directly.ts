/**
 * Reading along routes on which nothing is left to do but a statement.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import { currentContext } from "../../context/store.ts";
import type { QueryParams, SelectQuery } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { ApplicationService } from "../application_service.ts";
import { permittedQuery } from "../authorization/authorize_request.ts";
import type { Database, DatabaseTransaction, JsonRows } from "../database.ts";
import { engineWithin } from "../database_service.ts";
import type { Service } from "../service.ts";
import { routeOf } from "./route.ts";
import { transactionOf } from "../transactions/transaction.ts";

/** What to read. */
export interface ReadSubject {
  /** The entity of the service. */
  readonly target: LinkedEntity;
  /** Canonical path with navigation. */
  readonly path: string;
  /** A template: URLs of one shape share it. */
  readonly query: SelectQuery;
  /** Values of its parameters. */
  readonly queryParams: QueryParams;
}

/** Who reads, and as what. */
export interface ReadingOptions {
  /** The current context. */
  readonly context: EventContext;
  /** Whether JSON text of the database is welcome. */
  readonly acceptsJson: boolean;
}

/**
 * Reads rows, where the route says that a request would come to nothing else: the query gets the conditions of the user and
 * is run. That happens in the transaction of the context; without one JSON text is read in a transaction of the engine
 * alone, unless a handler of the service is asked before the commit.
 *
 * @param service the service
 * @param subject what to read
 * @param options who reads
 * @returns rows, one row, null or `JsonRows`; undefined where a request has to be sent, nothing has happened then
 * @throws ServiceError 401 or 403 for what the user may not read, and what the database throws
 */
export function readDirectly(
  service: Service,
  subject: ReadSubject,
  { context, acceptsJson }: ReadingOptions,
): MaybePromise<unknown> | undefined {
  if (!isDirect(service, subject)) return undefined;
  const { db } = service.host;
  const database = db?.quietEngine(context);
  if (!db || !database) return undefined;
  const transaction = transactionOf(context);
  if (!transaction) {
    return acceptsJson ? readAlone(service, subject, { context, database }) : undefined;
  }
  transaction.join(service);
  transaction.join(db);
  const query = permittedQuery(context, service, { query: subject.query, params: subject.queryParams });
  const { queryParams } = subject;
  const engine = engineWithin(transaction, database, context);
  return (acceptsJson ? engine.readJson?.(query, queryParams) : undefined) ?? engine.run(query, queryParams);
}

/** Reads JSON text in a transaction of the engine that nobody takes part in. */
function readAlone(
  service: ApplicationService,
  { query: given, queryParams: params }: ReadSubject,
  { context, database }: { readonly context: EventContext; readonly database: Database },
): MaybePromise<JsonRows> | undefined {
  if (context !== currentContext() || asksBeforeCommit(service)) return undefined;
  context.ending?.throwIfOver();
  const query = permittedQuery(context, service, { query: given, params });
  const engine = database.begin(context);
  let rows: MaybePromise<JsonRows> | undefined;
  try {
    rows = engine.readJson?.(query, params);
  } catch (error) {
    return undone(engine, error);
  }
  if (rows === undefined || engine.holdsNothing) return rows;
  return rows instanceof Promise
    ? rows.then((read) => kept(engine, read), (error) => undone(engine, error))
    : kept(engine, rows);
}

function kept<T>(engine: DatabaseTransaction, result: T): MaybePromise<T> {
  return andThen(engine.commit(), () => result);
}

function undone(engine: DatabaseTransaction, error: unknown): MaybePromise<never> {
  return andThen<void, never>(engine.rollback(), () => {
    throw error;
  });
}

function isDirect(service: Service, { target, path }: ReadSubject): service is ApplicationService {
  return service instanceof ApplicationService &&
    routeOf(service, { event: "READ", target, path }).isStatement;
}

function asksBeforeCommit({ handlers }: Service): boolean {
  return handlers.has("before") && handlers.for("before", { event: "COMMIT" }).length > 0;
}
