/**
 * Writes and bound operations on rows outside the own area: 403, before and after the write (auth 7).
 *
 * @module
 */

import { fromSteps } from "../../algebra/from_cqn.ts";
import { toSteps } from "../../algebra/to_cqn.ts";
import type {
  EntityRef,
  Query,
  QueryParams,
  RefExpression,
  Row,
  SelectQuery,
  UpdateQuery,
} from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { rowNotFound } from "../generic/generic_handlers.ts";
import { addressedKeys } from "../requests/addressed_keys.ts";
import type { ServiceRequest, Statement } from "../requests/service_request.ts";
import type { PermittedRows } from "./access.ts";
import { forbidden, missingCondition } from "./refusals.ts";
import { grantedAccess, isOwnAuthority, type Pass } from "./pass.ts";
import { type AuthorizationScope, isPrivileged, passOf, type RowReader } from "./pass_of.ts";
import { assertKeys, idOf, type KnownRows, permittedIds, readKeys } from "./permitted_rows.ts";
import { authorityPath, restrictRoot } from "./restrict_path.ts";
import { restrictQuery } from "./restrict_query.ts";
import { cachedRestriction } from "./restriction_cache.ts";
import { isShownBy, leavesPermitted } from "./unaffected_condition.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { hasKeys, keyNames } from "../../model/keys.ts";
import { everyOf } from "../../cqn/conjunction.ts";

/** A statement, and its query with the conditions of the user. */
export interface RestrictedStatement {
  readonly statement: Statement;
  readonly restricted: Query;
  readonly db: RowReader | undefined;
}

/**
 * Refuses a request that addresses a row which exists, but is none of those the user may change, or a row by a path that
 * does not lead to it: handlers would take its key for that of a row that the user may change.
 *
 * @param req the request; an operation on a collection has the permitted rows, and may have none
 * @param given its statement without and with conditions
 * @throws ServiceError 403, 404
 */
export function assertPermittedRows(req: ServiceRequest, given: RestrictedStatement): MaybePromise<void> {
  const { statement, restricted, db } = given;
  if (!db || req.target?.["@cds.persistence.skip"] === true) return;
  if (!req.operation && !req.isAddressed) return;
  const isCollection = req.operation?.$collectionBound === true;
  const [open, permitted] = [statement.query, restricted].map((query) => addressed(query, isCollection));
  if (!open || !permitted) return;
  const { params } = statement;
  return andThen<boolean, void>(exists(db, permitted, params), (isPermitted) => {
    if (isPermitted) return;
    return andThen(exists(db, open, params), (isThere) => {
      // it has addressed rows
      if (isThere) throw forbidden(() => missingCondition(req.target!, req.operation?.name ?? req.event));
      if (open.ref.length > 1) throw rowNotFound();
    });
  });
}

/**
 * Refuses a new row that is a part of another one, which the user may not give parts.
 *
 * @param req the request, whose subject is the path of the collection
 * @param pass who asks
 * @param db the database
 * @throws ServiceError 401, 403
 */
export function assertPermittedOwner(
  req: ServiceRequest,
  pass: Pass,
  db: RowReader | undefined,
): MaybePromise<void> {
  const given = fromSteps(req.subject.ref);
  const { steps } = restrictRoot(pass, given, { event: req.event, condition: (where) => where });
  if (steps === given || !db) return;
  return andThen(exists(db, { ref: toSteps(steps.slice(0, -1)) }, req.statement?.params), (isPermitted) => {
    if (!isPermitted) throw forbidden(() => missingCondition(req.target!, req.event));
  });
}

/** The path to a row: of a collection to that which it is reached from. */
function addressed(query: Query, isCollection: boolean): RefExpression | undefined {
  const source = sourceOf(query);
  const path = typeof source === "string" ? { ref: [source] } : source;
  if (!path || !isCollection) return path;
  return path.ref.length > 1 ? { ref: path.ref.slice(0, -1) } : undefined;
}

function sourceOf(query: Query): EntityRef | undefined {
  if ("UPDATE" in query) return query.UPDATE.entity;
  if ("DELETE" in query) return query.DELETE.from;
  return "SELECT" in query && "ref" in query.SELECT.from ? query.SELECT.from : undefined;
}

function exists(
  db: RowReader,
  source: EntityRef,
  params: QueryParams | undefined,
): MaybePromise<boolean> {
  return andThen(db.perform({ query: existence(source), params }), isFound);
}

function isFound(row: unknown): boolean {
  return row !== null && row !== undefined;
}

/** Queries whether there are rows, by frozen paths: these are parts of templates. */
const EXISTENCE: WeakMap<object, SelectQuery> = new WeakMap();

function existence(source: EntityRef): SelectQuery {
  const known = typeof source === "object" ? EXISTENCE.get(source) : undefined;
  if (known) return known;
  const from = typeof source === "string" ? { ref: [source] } : source;
  const query: SelectQuery = {
    SELECT: { one: true, from, history: true, columns: [{ val: 1, as: "found" }] },
  };
  if (Object.isFrozen(source) && typeof source === "object") EXISTENCE.set(source, deepFreeze(query));
  return query;
}

/** Rows that must be permitted after a write, too. */
export interface WrittenRows {
  /** The entity whose restriction holds: that of the rows, or that they are a part of. */
  readonly entity: LinkedEntity;
  /** Keys of the rows; undefined for new ones, whose keys are in the data. */
  readonly keys: readonly Row[] | undefined;
}

/**
 * Looks at which rows a write is about: afterwards its conditions and its path may lead elsewhere.
 *
 * @param req the request
 * @param scope the service
 * @returns undefined if the user may write every row
 */
export function rowsBefore(
  req: ServiceRequest,
  scope: AuthorizationScope,
): MaybePromise<WrittenRows | undefined> {
  const { target, subject } = req;
  const { db } = scope.host;
  if (!target || !db || isPrivileged(req)) return undefined;
  const pass = passOf(req, scope);
  const authority = isOwnAuthority(target)
    ? { entity: target, path: fromSteps(subject.ref) }
    : authorityPath(pass, fromSteps(subject.ref));
  const access = authority && grantedAccess(pass, authority.entity, req.event);
  if (!authority || !access || access === "all") return undefined;
  const { entity, path } = authority;
  if (entity === target && req.event !== "UPDATE") {
    return showsItsPermission(req, access, db) ? undefined : { entity, keys: undefined };
  }
  const { query, params } = req.statement ?? {};
  const update = entity === target && query && "UPDATE" in query ? query.UPDATE : undefined;
  const known = update && keysInPath(req, target);
  // the statement has the condition
  if (known && staysPermitted(req, { update, access })) return undefined;
  if (known) return { entity, keys: [known] };
  const { entity: from, where } = update ?? { entity: { ref: toSteps(path) } };
  return readKeys(db, entity, { entity: from, where, params }).then((rows) => ({ entity, keys: rows }));
}

/** Whether the data of a new row, which nobody but the database writes, show that the user may write it. */
function showsItsPermission(
  req: ServiceRequest,
  { where, query }: PermittedRows,
  db: RowReader,
): boolean {
  const { event, target, statement, data, user } = req;
  if (event !== "CREATE" || where === undefined || query !== undefined) return false;
  const insert = statement && "INSERT" in statement.query ? statement.query.INSERT : undefined;
  const into = insert && (typeof insert.into === "string" ? [insert.into] : insert.into.ref);
  if (insert?.entries?.length !== 1 || insert.entries[0] !== data || into?.length !== 1) return false;
  if (!hasKeys(target!, data as Row)) return false;
  return db.needsNoContext?.(req) === true && isShownBy(target!, where, { data: data as Row, user });
}

/** Whether an update leaves alone what the condition of its rows depends on. */
function staysPermitted(
  { target, data }: ServiceRequest,
  { update, access }: { readonly update: UpdateQuery["UPDATE"]; readonly access: PermittedRows },
): boolean {
  return update.with === undefined && update.data === data &&
    leavesPermitted(target!, access, data as Row);
}

/** The keys of the row that a request addresses by nothing else, unless a handler has had a look at its query. */
function keysInPath({ statement, subject }: ServiceRequest, target: LinkedEntity): Row | undefined {
  const [step] = subject.ref;
  if (statement?.params === undefined || subject.ref.length > 1 || typeof step !== "object") return undefined;
  return addressedKeys({ DELETE: { from: target.name, where: step.where } }, target);
}

/**
 * Refuses rows as they are after the write if the user may not write such rows. To be called after the statement of a
 * CREATE, UPDATE or UPSERT ran, inside its transaction.
 *
 * @param req the request, whose data has the keys of new rows
 * @param scope the service
 * @param rows the rows to look at
 * @throws ServiceError 403
 */
export function assertWrittenRows(
  req: ServiceRequest,
  scope: AuthorizationScope,
  { entity, keys }: WrittenRows,
): MaybePromise<void> {
  const db = scope.host.db!; // without one there are no rows to look at
  const pass = passOf(req, scope);
  const given = (Array.isArray(req.data) ? req.data : [req.data]) as readonly Row[];
  const written = keys ?? given;
  assertKeys(entity, written);
  return andThen(arePermitted(db, pass, { entity, keys: written, event: req.event }), (isPermitted) => {
    if (!isPermitted) throw forbidden(() => missingCondition(entity, req.event));
  });
}

/** Whether a user may do something with all of some rows. */
function arePermitted(
  db: RowReader,
  pass: Pass,
  { event, ...rows }: KnownRows & { readonly event: string },
): MaybePromise<boolean> {
  const { entity, keys } = rows;
  if (keys.length === 1) {
    const statement = rowStatement(entity, keys[0]!);
    const restrict = (query: Query) => restrictQuery(pass, query, event);
    const query = cachedRestriction(pass, statement, { event, restrict });
    return andThen(db.perform({ query, params: statement.params }), isFound);
  }
  return permittedIds(db, rows, grantedAccess(pass, entity, event)).then((permitted) =>
    // Databases may write keys otherwise than clients, so that ids are counted only.
    permitted.size === new Set(keys.map((row) => idOf(entity, row))).size
  );
}

const ROWS: WeakMap<LinkedEntity, SelectQuery> = new WeakMap();

/** Finds a row by its keys. */
function rowStatement(entity: LinkedEntity, row: Row): Statement & { readonly params: QueryParams } {
  const names = keyNames(entity);
  let query = ROWS.get(entity);
  if (!query) {
    const where = everyOf(names, (name, at) => [{ ref: [name] }, "=", { ref: [`$key${at}`], param: true }]);
    query = deepFreeze({ SELECT: { ...existence(entity.name).SELECT, where } });
    ROWS.set(entity, query);
  }
  return { query, params: Object.fromEntries(names.map((name, index) => [`$key${index}`, row[name]])) };
}
