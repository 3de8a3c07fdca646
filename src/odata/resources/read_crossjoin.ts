/**
 * GET of `$crossjoin(A,B)`: pairs of entities (URL Conventions 4.15).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { assertCapable } from "../../service/authorization/assert_capable.ts";
import type { Rows } from "../../service/database.ts";
import type { ServiceRequest } from "../../service/requests/service_request.ts";
import {
  type Answer,
  createRequest,
  type Exchange,
  finishAnswer,
  inTransaction,
  requestPathOf,
} from "../exchange.ts";
import { formatFor } from "../headers/accept.ts";
import { entitySetName } from "../names.ts";
import { contextOf, parentSteps } from "../payload/context_url.ts";
import { canonicalUrl } from "../payload/key_predicate.ts";
import { type RowFormat, writeEntity } from "../payload/write_row.ts";
import { writeCount } from "../payload/control_information.ts";
import type { Plan, PlanSet } from "../plan/plan.ts";
import { nextLink } from "./next_link.ts";
import { rowFormat } from "./read_entities.ts";
import { toRows } from "./read_request.ts";
import { isSingleton } from "../../model/service_document.ts";
import { jsonObject } from "../payload/write_value.ts";

/** Answers GET of `$crossjoin(A,B)`. */
export async function readCrossjoin(exchange: Exchange, plan: Plan): Promise<Answer> {
  const format = formatFor(exchange, plan.format, ["json"]);
  const { rows, link } = await inTransaction(exchange, async () => {
    const request = requestFor(exchange, plan);
    const rows: Rows = toRows(await exchange.scope.service.dispatch(request));
    const link = await nextLink(exchange, plan, { request, rows, total: rows.$count });
    return { rows, link };
  });
  const how = rowFormat(exchange, format);
  const context = `${parentSteps(requestPathOf(exchange))}$metadata#Collection(Edm.ComplexType)`;
  const parts = [contextOf(format, context)];
  const total = rows.$count ?? rows.length;
  if (plan.count) parts.push(`"@odata.count":${writeCount(total, format)}`);
  parts.push(`"value":[${rows.map((row) => writePair(row, plan.sets ?? [], how)).join(",")}]`);
  if (link !== undefined) parts.push(`"@odata.nextLink":${JSON.stringify(link)}`);
  return finishAnswer(exchange, {
    status: 200,
    contentType: format.contentType,
    body: jsonObject(parts),
  });
}

/** The request is about the first set; the others are read along, as with `$expand`. */
function requestFor(exchange: Exchange, plan: Plan): ServiceRequest {
  const [first, ...others] = plan.sets ?? [];
  const { query, queryParams } = plan;
  const requestOf = ({ entity }: PlanSet) =>
    createRequest(exchange, {
      event: "READ",
      query,
      queryParams,
      target: entity,
      path: entity.name,
      params: [],
      subject: { ref: [entity.name] },
    });
  for (const other of others) assertCapable(requestOf(other), "READ", true);
  for (const { entity, name } of plan.sets ?? []) {
    if (entity["@cds.persistence.skip"] !== true) continue;
    throw new ServiceError({ status: 400, message: `"${name}" is not in the database and cannot be joined` });
  }
  return requestOf(first!); // a join has sets
}

function writePair(row: Row, sets: readonly PlanSet[], format: RowFormat): string {
  const members = sets.map(({ name, entity, prefix = "", shape }) => {
    const own: Row = {};
    for (const column in row) if (column.startsWith(prefix)) own[column.slice(prefix.length)] = row[column];
    if (shape) return `${JSON.stringify(name)}:${writeEntity(own, entity, { shape, format })}`;
    if (format.metadata === "none") return "";
    const link = isSingleton(entity) ? entitySetName(entity) : canonicalUrl(entity, own) ?? "";
    return `${JSON.stringify(`${name}@odata.navigationLink`)}:${JSON.stringify(link)}`;
  });
  return jsonObject(members);
}
