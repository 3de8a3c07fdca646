/**
 * Reading without requests, where nobody would see them.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import { currentContext } from "../../context/store.ts";
import type { Query, QueryParams, SelectQuery } from "../../cqn/cqn.ts";
import { isGenerated } from "../../model/exposure.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { incapability } from "../authorization/assert_capable.ts";
import { assertServiceRoles } from "../authorization/authorize_service.ts";
import type { Pass } from "../authorization/pass.ts";
import { isPrivileged, passOf } from "../authorization/pass_of.ts";
import { restrictQuery } from "../authorization/restrict_query.ts";
import { cachedRestriction } from "../authorization/restriction_cache.ts";
import { ApplicationService } from "../application_service.ts";
import type { DatabaseTransaction, JsonRows } from "../database.ts";
import type { Service } from "../service.ts";
import { transactionOf } from "../transactions/transaction.ts";
import { Conclusions, isUnseen } from "./unseen.ts";

/** What to read. */
export interface ReadSubject {
  /** The entity of the service. */
  readonly target: LinkedEntity;
  /** Canonical path with navigation. */
  readonly path: string;
  /** A template: URLs of one shape share it, and with it target and path. */
  readonly query: SelectQuery;
  /** Values of its parameters. */
  readonly queryParams: QueryParams;
}

/** What was concluded of templates. */
const UNSEEN: Conclusions<ReadSubject> = new Conclusions(
  (service, subject) =>
    isReadable(subject) &&
    isUnseen(service, { event: "READ", entity: subject.target.name, path: subject.path }),
);

/**
 * Reads rows in the transaction of a context, which is the current one, without a request to the service. That is done
 * where a READ would come to the same: no handler of the service or of the database is registered for it, not even for
 * errors, the class of the service overrides none of the steps, and the entity may be read as such. Then all that would
 * happen to the request is that the query gets the conditions of the user and is run. Hooks of the commit are asked as
 * usual.
 *
 * @param service the service
 * @param subject what to read
 * @param options the context, and whether JSON text of the database is welcome
 * @returns rows, one row, null or `JsonRows`; undefined where a request has to be sent, nothing has happened then
 * @throws ServiceError 401 or 403 for what the user may not read, and what the database throws
 */
export function readAlone(
  service: Service,
  subject: ReadSubject,
  { context, acceptsJson }: { readonly context: EventContext; readonly acceptsJson: boolean },
): MaybePromise<unknown> | undefined {
  if (!isAlone(service, subject)) return undefined;
  const { db } = service.host;
  const transaction = transactionOf(context);
  if (!transaction || !db?.asksNobody(context)) return undefined;
  transaction.join(service);
  const query = permittedQuery(service, subject, context);
  const { queryParams } = subject;
  return db.withEngine((engine) =>
    (acceptsJson ? engine.readJson?.(query, queryParams) : undefined) ?? engine.run(query, queryParams)
  );
}

/**
 * Reads rows as JSON text in a context that is the current one and has no transaction, in a transaction of the engine that
 * nobody takes part in. That is done where `readAlone` would read, and no handler of the service is asked before the commit.
 *
 * @param service the service
 * @param subject what to read
 * @param context the context
 * @returns undefined where a transaction has to begin, nothing has happened then
 * @throws ServiceError 401 or 403 for what the user may not read, and what the database throws
 */
export function readOnce(
  service: Service,
  subject: ReadSubject,
  context: EventContext,
): MaybePromise<JsonRows> | undefined {
  if (!isAlone(service, subject) || asksBeforeCommit(service)) return undefined;
  if (context !== currentContext() || transactionOf(context)) return undefined;
  const database = service.host.db?.quietEngine(context);
  if (database === undefined) return undefined;
  context.signal?.throwIfAborted();
  const query = permittedQuery(service, subject, context);
  const engine = database.begin(context);
  if (!engine.readJson) return undefined;
  let rows: MaybePromise<JsonRows>;
  try {
    rows = engine.readJson(query, subject.queryParams);
  } catch (error) {
    return undone(engine, error);
  }
  if (engine.holdsNothing) return rows;
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

/** Whether nobody but the framework has a part in reading. */
function isAlone(service: Service, subject: ReadSubject): service is ApplicationService {
  return service instanceof ApplicationService && UNSEEN.of(service, subject.query, subject);
}

function asksBeforeCommit({ handlers }: Service): boolean {
  return handlers.has("before") && handlers.for("before", { event: "COMMIT" }).length > 0;
}

/** Whether the generic handler reads the entity, whoever asks. */
function isReadable({ target, path }: ReadSubject): boolean {
  return target["@cds.persistence.skip"] !== true && incapability(target, "READ") === undefined &&
    (path.includes("/") || !isGenerated(target));
}

/** The query with the conditions of the user. */
function permittedQuery(
  service: ApplicationService,
  { query, queryParams: params }: ReadSubject,
  context: EventContext,
): SelectQuery {
  if (isPrivileged(context)) return query;
  const pass = passOf(context, service);
  if (pass.service) assertServiceRoles(pass.service, pass.user, pass.settings);
  return cachedRestriction(pass, { query, params }, READ) as SelectQuery; // it stays one
}

/** How queries that read are restricted. */
const READ = {
  event: "READ",
  restrict: (query: Query, pass: Pass): Query => restrictQuery(pass, query, "READ"),
};
