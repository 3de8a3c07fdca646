/**
 * The members of a collection changed or deleted by one request: `/$each` (OData Protocol 11.4.13, 11.4.14).
 *
 * @module
 */

import type { Query, RefStep, Row, SelectQuery } from "../../cqn/cqn.ts";
import { type ServiceError, unsupported } from "../../errors/service_error.ts";
import { isGenerated } from "../../model/exposure.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { Rows } from "../../service/database.ts";
import type { ServiceRequest } from "../../service/requests/service_request.ts";
import {
  type Answer,
  appliedReturn,
  createRequest,
  type Exchange,
  finishAnswer,
  inTransaction,
} from "../exchange.ts";
import { formatFor } from "../headers/accept.ts";
import { preconditionFailed } from "../headers/etag.ts";
import type { EntityPlan } from "../plan/plan.ts";
import { assertFewRows, readEntityBody } from "../payload/request_body.ts";
import { assertParent, childLinks } from "./link_rows.ts";
import { entitiesAnswer } from "./read_entities.ts";
import { anyOfRows, readRequest, toRows } from "./read_request.ts";
import { withoutKeys } from "./update.ts";
import { keyColumns } from "../../model/keys.ts";

/** Answers PATCH and DELETE of `/$each`: all members that the caller may change, or none. */
export async function writeEach(exchange: Exchange, plan: EntityPlan): Promise<Answer> {
  assertNoTags(exchange);
  if (exchange.method === "DELETE") {
    await inTransaction(exchange, () => changeEach(exchange, plan));
    return finishAnswer(exchange, { status: 204 });
  }
  const format = formatFor(exchange, plan);
  const { row, members, related = [], replaced = [] } = await readEntityBody(exchange, plan.target);
  if (members.length + related.length + replaced.length > 0) {
    throw notTogether('Collections are not linked by "/$each"');
  }
  assertOwnParts(plan.target, row);
  const data = withoutKeys(plan.target, row);
  const applied = appliedReturn(exchange, "representation");
  const rows = await inTransaction(exchange, async () => {
    const changed = await changeEach(exchange, plan, data);
    return applied.length > 0 ? await readChanged(exchange, plan, changed) : undefined;
  });
  return rows
    ? entitiesAnswer(exchange, plan, { rows, format, applied })
    : finishAnswer(exchange, { status: 204, applied });
}

/** A set of rows has no version. */
export function assertNoTags({ preconditions: { ifMatch, ifNoneMatch } }: Exchange): void {
  if (ifNoneMatch !== undefined || (ifMatch !== undefined && ifMatch !== "*")) throw preconditionFailed();
}

/** Each member gets the parts that are sent: they need a key of which the key of the member is a part. */
function assertOwnParts(entity: LinkedEntity, row: Row): void {
  for (const composition of entity.compositions) {
    const value = row[composition.name];
    const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    const keys = new Set(composition.$target?.$flatKeys.map(({ name }) => name));
    if (isEmpty || childLinks(composition).some(({ target }) => keys.has(target))) continue;
    throw notTogether(`"${composition.name}" of several entities cannot be written by "/$each"`);
  }
}

function notTogether(message: string): ServiceError {
  return unsupported(message);
}

/** Updates or deletes the members by one request to the service, whose authorization says which these are. */
async function changeEach(exchange: Exchange, plan: EntityPlan, data?: Row): Promise<readonly Row[]> {
  const { target } = plan;
  const subject = plan.addressed.subject;
  let changed: readonly Row[] = [];
  const request: ServiceRequest = createRequest(exchange, {
    event: data ? "UPDATE" : "DELETE",
    ...(data ? { data } : {}),
    query: data ? { UPDATE: { entity: subject, data } } : { DELETE: { from: subject } },
    target,
    path: plan.path,
    params: plan.addressed.params,
    precondition: async () => {
      changed = await readKeys(exchange, plan, request.statement!.query);
    },
  });
  await exchange.scope.service.dispatch(request);
  if (changed.length === 0) await assertParent(exchange, plan);
  return changed;
}

/** Keys of the rows that a statement is about; they are bounded. */
async function readKeys(exchange: Exchange, plan: EntityPlan, query: Query): Promise<readonly Row[]> {
  const { host: { db, limits } } = exchange.scope;
  const { target } = plan;
  if (!db || target["@cds.persistence.skip"] === true) return [];
  const ref = "UPDATE" in query ? query.UPDATE.entity : "DELETE" in query ? query.DELETE.from : target.name;
  const from = typeof ref === "string" ? { ref: [ref] } : ref;
  const columns = keyColumns(target);
  const limit = { rows: { val: limits.changedRows + 1 } };
  const rows = toRows(await db.run({ SELECT: { from, columns, limit } })) as readonly Row[];
  assertFewRows(exchange, rows.length);
  return rows;
}

/** The changed rows that the caller may read, as `$select` and `$expand` ask for. */
async function readChanged(exchange: Exchange, plan: EntityPlan, changed: readonly Row[]): Promise<Rows> {
  const { target } = plan;
  if (changed.length === 0) return [];
  const where = anyOfRows(target, changed);
  const before: readonly RefStep[] = plan.navigation && isGenerated(target)
    ? plan.navigation.subject.ref
    : [];
  const id = before.length > 0 ? plan.navigation!.element.name : target.name;
  const { SELECT } = plan.query;
  const query: SelectQuery = { SELECT: { ...SELECT, from: { ref: [...before, { id, where }] } } };
  return toRows(await exchange.scope.service.dispatch(readRequest(exchange, plan, { query })));
}
