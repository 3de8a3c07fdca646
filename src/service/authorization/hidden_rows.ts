/**
 * Writes and bound operations on rows outside the own area: 403, before and after the write (auth 7).
 *
 * @module
 */

import type { EntityRef, Query, QueryParams, Row, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { ServiceRequest, Statement } from "../service_request.ts";
import { grantedAccess, isOwnAuthority } from "./pass.ts";
import { type AuthorizationScope, isPrivileged, passOf, type RowReader } from "./pass_of.ts";
import { forbidden } from "./refusals.ts";

/** A statement, and its query with the conditions of the user. */
export interface RestrictedStatement {
  readonly statement: Statement;
  readonly restricted: Query;
  readonly db: RowReader | undefined;
}

/**
 * Refuses a request that addresses a row which exists, but is none of those the user may change.
 *
 * @param req the request
 * @param given its statement without and with conditions
 * @throws ServiceError 403
 */
export async function assertPermittedRows(req: ServiceRequest, given: RestrictedStatement): Promise<void> {
  const { statement, restricted, db } = given;
  if (!db || req.target?.["@cds.persistence.skip"] === true) return;
  if (!req.operation && !req.isAddressed) return;
  const open = sourceOf(statement.query);
  const permitted = sourceOf(restricted);
  if (!open || !permitted) return;
  if (await exists(db, permitted, statement.params)) return;
  if (await exists(db, open, statement.params)) throw forbidden();
}

function sourceOf(query: Query): EntityRef | undefined {
  if ("UPDATE" in query) return query.UPDATE.entity;
  if ("DELETE" in query) return query.DELETE.from;
  return "SELECT" in query && "ref" in query.SELECT.from ? query.SELECT.from : undefined;
}

async function exists(db: RowReader, source: EntityRef, params: QueryParams | undefined): Promise<boolean> {
  const from = typeof source === "string" ? { ref: [source] } : source;
  const row = await db.run(
    { SELECT: { one: true, from, history: true, columns: [{ val: 1, as: "found" }] } },
    params,
  );
  return row !== null && row !== undefined;
}

/**
 * Refuses rows as they are after the write if the user may not write such rows. To be called after the statement of a
 * CREATE, UPDATE or UPSERT ran, inside its transaction.
 *
 * @param req the request, whose data has the keys of the rows
 * @param scope the service
 * @throws ServiceError 403
 */
export async function assertWrittenRows(req: ServiceRequest, scope: AuthorizationScope): Promise<void> {
  const { target } = req;
  const { db } = scope.host;
  if (!target || !db || isPrivileged(req) || !isOwnAuthority(target)) return;
  const access = grantedAccess(passOf(req, scope), target, req.event);
  if (access === "all") return;
  const rows = (Array.isArray(req.data) ? req.data : [req.data]) as readonly Row[];
  for (const row of rows) {
    const where = keyCondition(target, { ...row, ...addressed(req) });
    // Without keys nothing can be said about the row, which is no reason to let it pass.
    if (!where) throw forbidden();
    if (
      !await exists(db, { ref: [{ id: target.name, where: [{ xpr: where }, "and", { xpr: access }] }] }, {})
    ) {
      throw forbidden();
    }
  }
}

/** The keys of the URL, or those that the query of a handler compares with values. */
function addressed(req: ServiceRequest): Row {
  if (req.event !== "UPDATE") return {};
  const query = req.statement?.query;
  const keys: Row = {};
  if (query && "UPDATE" in query) {
    const { entity, where } = query.UPDATE;
    const last = typeof entity === "string" ? undefined : entity.ref.at(-1);
    for (const part of [typeof last === "object" ? last.where : undefined, where]) {
      collectEqualities(part ?? [], keys);
    }
  }
  return { ...keys, ...req.params.at(-1) };
}

/** What must hold for all rows of a condition: comparisons joined by `and`. */
function collectEqualities(condition: readonly Xo[], into: Row): void {
  if (condition.includes("or") || condition.includes("not") || condition.includes("case")) return;
  for (const [index, token] of condition.entries()) {
    if (typeof token === "object" && "xpr" in token && !("func" in token)) {
      if (isTerm(condition, index, index)) collectEqualities(token.xpr, into);
    }
    const [name, value] = [condition[index - 1], condition[index + 1]];
    if (token !== "=" || typeof name !== "object" || typeof value !== "object") continue;
    if (!isTerm(condition, index - 1, index + 1)) continue;
    if (!("ref" in name) || name.param || name.ref.length !== 1 || !("val" in value)) continue;
    if (typeof name.ref[0] === "string") into[name.ref[0]] = value.val;
  }
}

/** Whether tokens are everything between two `and`. */
function isTerm(condition: readonly Xo[], first: number, last: number): boolean {
  return [condition[first - 1], condition[last + 1]].every((one) => one === undefined || one === "and");
}

function keyCondition(entity: LinkedEntity, row: Row): Xo[] | undefined {
  const condition: Xo[] = [];
  for (const { name, virtual } of entity.$flatKeys) {
    if (virtual) continue;
    const value = row[name];
    if (value === undefined || value === null) return undefined;
    if (condition.length > 0) condition.push("and");
    condition.push({ ref: [name] }, "=", { val: value as string });
  }
  return condition.length > 0 ? condition : undefined;
}
