/**
 * The one place where it is decided what a request may do (design 9, auth 7).
 *
 * @module
 */

import { fromSteps } from "../../algebra/from_cqn.ts";
import { toSteps } from "../../algebra/to_cqn.ts";
import type { EventContext } from "../../context/event_context.ts";
import type { Query, Row, SelectQuery } from "../../cqn/cqn.ts";
import type { LinkedEntity, LinkedOperation } from "../../model/linked.ts";
import type { ServiceRequest, Statement } from "../requests/service_request.ts";
import { accessBy, withAccess } from "./access.ts";
import { assertCapable } from "./assert_capable.ts";
import { assertServiceRoles } from "./authorize_service.ts";
import { assertPermittedOwner, assertPermittedRows, type RestrictedStatement } from "./hidden_rows.ts";
import { accessOf, assertOpen, isOwnAuthority, type Pass } from "./pass.ts";
import { type AuthorizationScope, isPrivileged, passOf, type RowReader } from "./pass_of.ts";
import { missingRole, refusal } from "./refusals.ts";
import { addressingTemplate, cachedRestriction } from "./restriction_cache.ts";
import { restrictQuery } from "./restrict_query.ts";
import { leavesPermitted } from "./unaffected_condition.ts";
import { ownRestrictions } from "./restrictions.ts";
import { assertPartRoles } from "./written_parts.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { unqualified } from "../../util/unqualified.ts";

const EVENTS: ReadonlySet<string> = new Set(["READ", "CREATE", "UPDATE", "UPSERT", "DELETE"]);

/** How a request is made. */
interface RequestOptions {
  /**
   * Whether no handler takes part, and a statement changes permitted rows only: whether others are addressed is asked only
   * if the request fails.
   */
  readonly isPlainStatement?: boolean;
  /** Whether the request is only asked about, in place of one that may reach its entity by another way. */
  readonly isQuestion?: boolean;
}

/**
 * Refuses what the user may not do; otherwise the statement of the request gets the conditions of the rows that the
 * user may see or change. Runs inside the transaction of the request, before its handlers.
 *
 * @param req the request
 * @param scope the service; a `Service` of a runtime fits
 * @param options how the request is made
 * @throws ServiceError 401 without login, 403 without role or for a row outside the own area, 405 for events that the
 *   entity does not allow
 */
export function authorizeRequest(
  req: ServiceRequest,
  scope: AuthorizationScope,
  { isPlainStatement = false, isQuestion = false }: RequestOptions = {},
): MaybePromise<void> {
  const pass = passOf(req, scope);
  const event = req.operation ? localName(req.operation) : req.event;
  let pending: MaybePromise<void> = undefined;
  if (!isPrivileged(req)) {
    assertAdmitted(pass);
    if (req.operation) assertOperation(pass, req.operation);
    pending = restrictStatement(req, pass, { event, db: scope.host.db, isPlainStatement });
  }
  const finish = () => {
    if (!req.operation && EVENTS.has(event)) assertCapable(req, event, pass.isEndpoint && !isQuestion);
  };
  return andThen(pending, finish);
}

/**
 * The query of a READ with the conditions of the rows that the user may see, for an entity that may be read: what
 * `authorizeRequest` makes of such a request.
 *
 * @param context who asks
 * @param scope the service
 * @param statement the query, a template
 * @throws ServiceError 401 without login, 403 without role
 */
export function permittedQuery(
  context: EventContext,
  scope: AuthorizationScope,
  statement: Statement & { readonly query: SelectQuery },
): SelectQuery {
  if (isPrivileged(context)) return statement.query;
  const pass = passOf(context, scope);
  assertAdmitted(pass);
  return restrictedQuery(pass, statement, { event: "READ", operation: undefined }) as SelectQuery; // it stays one
}

/**
 * Whether a user may do something to all rows of an entity that stands for itself and allows the event, so that
 * `authorizeRequest` would find nothing to restrict.
 *
 * @param context who asks
 * @param scope the service
 * @param subject what is done to which entity
 * @throws ServiceError 401 or 403 for the user of a service that requires a role
 */
export function maySeeToAll(
  context: EventContext,
  scope: AuthorizationScope,
  { event, target }: { readonly event: string; readonly target: LinkedEntity },
): boolean {
  if (isPrivileged(context)) return true;
  const pass = passOf(context, scope);
  assertAdmitted(pass);
  return accessOf(pass, target, event) === "all";
}

/**
 * The query of an UPDATE with the conditions of the rows that the user may change, for values that leave each of them
 * permitted: what `authorizeRequest` makes of such a request, behind which nothing is left to be looked at.
 *
 * @param context who asks
 * @param scope the service
 * @param change the query, an entity that stands for itself, and the values
 * @returns undefined where more has to be known; a request has to be sent then
 * @throws ServiceError 401 or 403 for the user of a service that requires a role
 */
export function permittedChange(
  context: EventContext,
  scope: AuthorizationScope,
  { statement, target, data }: RowChange,
): Statement | undefined {
  if (isPrivileged(context)) return statement;
  const pass = passOf(context, scope);
  assertAdmitted(pass);
  const access = accessOf(pass, target, "UPDATE");
  if (access === "all") return statement;
  if (access === "none" || !leavesPermitted(target, access, data)) return undefined;
  const template = addressingTemplate(pass.model, statement);
  const query = restrictedQuery(pass, template, { event: "UPDATE", operation: undefined });
  return { ...template, query: withRowData(query, statement.query) };
}

/** Values for rows of an entity. */
interface RowChange {
  readonly statement: Statement;
  readonly target: LinkedEntity;
  readonly data: Row;
}

/** The restriction of the service. */
function assertAdmitted({ service, user, settings }: Pass): void {
  if (service) assertServiceRoles(service, user, settings);
}

function localName(operation: LinkedOperation): string {
  return unqualified(operation.name);
}

/** The restriction of an operation itself; of a bound one that of its entity is checked with the query. */
function assertOperation(pass: Pass, operation: LinkedOperation): void {
  const restrictions = ownRestrictions(operation);
  if (restrictions.length > 0) {
    if (accessBy(restrictions, undefined, pass) === "none") throw refusal(pass, () => missingRole(operation));
  } else if (!operation.$entity) assertOpen(pass);
}

interface Restricting {
  readonly event: string;
  readonly db: RowReader | undefined;
  readonly isPlainStatement: boolean;
}

function restrictStatement(
  req: ServiceRequest,
  pass: Pass,
  { event, db, isPlainStatement }: Restricting,
): MaybePromise<void> {
  const given = req.statement ?? statementOf(req);
  if (given === undefined) return;
  if (event === "CREATE" && isCreatedInPath(req)) {
    assertPartRoles(pass, req, event);
    return assertPermittedOwner(req, pass, db);
  }
  // the subject and the keys of other requests are those of their query as it is
  const isKnown = req.isAddressed || "INSERT" in given.query || "UPSERT" in given.query;
  const statement = isKnown ? addressingTemplate(pass.model, given) : given;
  const query = restrictedQuery(pass, statement, { event, operation: req.operation });
  if (isWrite(given.query)) assertPartRoles(pass, req, event);
  if (query === statement.query) return;
  const refused = event === "READ" ? undefined : { statement, restricted: query, db };
  const restricted = { ...statement, query: withRowData(query, given.query) };
  return restrictTo(req, restricted, { refused, isPlainStatement });
}

function restrictTo(
  req: ServiceRequest,
  restricted: Statement,
  { refused, isPlainStatement }: Pick<Restricting, "isPlainStatement"> & {
    readonly refused: RestrictedStatement | undefined;
  },
): MaybePromise<void> {
  const refuse = refused && (() => assertPermittedRows(req, refused));
  if (isPlainStatement) req.refusal = refuse;
  return andThen(isPlainStatement ? undefined : refuse?.(), () => {
    req.statement = restricted;
  });
}

/** The query of a statement with the conditions of the user. */
function restrictedQuery(
  pass: Pass,
  statement: Statement,
  { event, operation }: { readonly event: string; readonly operation: LinkedOperation | undefined },
): Query {
  const restrict = (query: Query) => withOperation(pass, restrictQuery(pass, query, event), operation);
  return cachedRestriction(pass, statement, { event, operation, restrict });
}

/** A restricted query with the rows that the one it was made of writes. */
function withRowData(restricted: Query, given: Query): Query {
  if ("INSERT" in restricted && "INSERT" in given) {
    return { INSERT: { ...given.INSERT, ...restricted.INSERT } };
  }
  if ("UPSERT" in restricted && "UPSERT" in given) {
    return { UPSERT: { ...given.UPSERT, ...restricted.UPSERT } };
  }
  if ("UPDATE" in restricted && "UPDATE" in given) {
    return { UPDATE: { ...given.UPDATE, ...restricted.UPDATE } };
  }
  return restricted;
}

/** A bound operation may be restricted to rows of its own. */
function withOperation(pass: Pass, query: Query, operation: LinkedOperation | undefined): Query {
  if (!operation?.$entity || !("SELECT" in query) || !("ref" in query.SELECT.from)) return query;
  const access = accessBy(ownRestrictions(operation), undefined, pass);
  if (typeof access === "string") return query;
  const { from } = query.SELECT;
  const [last] = fromSteps(from.ref.slice(-1));
  const ref = [...from.ref.slice(0, -1), ...toSteps([withAccess(last!, access)])];
  return { SELECT: { ...query.SELECT, from: { ...from, ref } } };
}

/** Whether the path of a new row decides about it: the row is a part of another one. */
function isCreatedInPath({ target, subject }: ServiceRequest): boolean {
  return target !== undefined && !isOwnAuthority(target) && subject.ref.length > 1;
}

function isWrite(query: Query): boolean {
  return "INSERT" in query || "UPSERT" in query || "UPDATE" in query;
}

/** The statement of a request that came without: generic handlers build the same. */
function statementOf(req: ServiceRequest): Statement | undefined {
  if (!req.target || !(EVENTS.has(req.event) || req.operation?.$entity)) return undefined;
  const ref = { ref: req.subject.ref };
  const entries = (Array.isArray(req.data) ? req.data : [req.data]) as never;
  switch (req.event) {
    case "CREATE":
      return { query: { INSERT: { into: ref, entries } } };
    case "UPSERT":
      return { query: { UPSERT: { into: ref, entries } } };
    case "UPDATE":
      return { query: { UPDATE: { entity: ref, data: req.data as never } } };
    case "DELETE":
      return { query: { DELETE: { from: ref } } };
    default:
      return { query: { SELECT: { from: ref } } };
  }
}
