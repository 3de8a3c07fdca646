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
  const row = await db.run({ SELECT: { one: true, from, columns: [{ val: 1, as: "found" }] } }, params);
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
    const where = keyCondition(target, { ...row, ...req.event === "UPDATE" ? req.params.at(-1) : {} });
    // Without keys nothing can be said about the row, which is no reason to let it pass.
    if (!where) throw forbidden();
    if (
      !await exists(db, { ref: [{ id: target.name, where: [{ xpr: where }, "and", { xpr: access }] }] }, {})
    ) {
      throw forbidden();
    }
  }
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
