import type { Row } from "../../cqn/cqn.ts";
import { isServiceError, ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { Rows } from "../../service/database.ts";
import { type Answer, createRequest, type Exchange, inTransaction, requestPathOf } from "../exchange.ts";
import { formatFor } from "../headers/accept.ts";
import { entitySetName } from "../names.ts";
import { parentSteps } from "../payload/context_url.ts";
import { rowTypeAnnotation } from "../payload/control_information.ts";
import { canonicalUrl } from "../payload/key_predicate.ts";
import { presentedRow } from "../payload/presented_row.ts";
import { type RowFormat, writeEntity, writeEntityMembers } from "../payload/write_row.ts";
import type { AllPlan, CrossjoinPlan, JoinedSet, ReadSet } from "../plan/plan.ts";
import { LIMIT_PARAMS } from "../plan/shapes/template.ts";
import { linkWithToken, nextLink } from "./next_link.ts";
import { toRows } from "./read_request.ts";
import { addAll } from "../../util/add_all.ts";
import { isSingleton } from "../../model/service_document.ts";
import { jsonObject } from "../payload/write_value.ts";
import { assertCapable } from "../../service/authorization/assert_capable.ts";
import type { ServiceRequest } from "../../service/requests/service_request.ts";
import { collectionAnswer } from "./collection_answer.ts";

/** Answers GET of `$all`. */
export async function readAll(exchange: Exchange, plan: AllPlan): Promise<Answer> {
  const format = formatFor(exchange, plan);
  const { texts, total, isMore } = await inTransaction(
    exchange,
    () => readSets(exchange, plan, format),
  );
  const { paging } = plan;
  const hasNext = isMore && (paging.wanted ?? Infinity) > paging.rows;
  return collectionAnswer(exchange, format, {
    context: `${parentSteps(requestPathOf(exchange))}$metadata#Collection(Edm.EntityType)`,
    count: plan.options.count ? total : undefined,
    texts,
    nextLink: hasNext ? linkWithToken(exchange, paging.token + paging.rows) : undefined,
  });
}

interface AllRows {
  readonly texts: readonly string[];
  readonly total: number;
  readonly isMore: boolean;
}

/** The page of the union: sets in the order of the model, rows in that of their keys. */
async function readSets(exchange: Exchange, plan: AllPlan, format: RowFormat): Promise<AllRows> {
  const { rows: wanted, offset } = plan.paging;
  const texts: string[] = [];
  let total = 0;
  let refusal: ServiceError | undefined;
  let readable = 0;
  for (const set of plan.sets) {
    if (total > offset + wanted && !plan.options.count) break;
    const page = { rows: Math.max(wanted - texts.length, 0), offset: Math.max(offset - total, 0) };
    try {
      const rows = await readSet(exchange, plan, { set, page });
      readable++;
      total += rows.$count ?? rows.length;
      addAll(texts, rows.map((row) => jsonObject(allMembers(row, set.entity, format))));
    } catch (error) {
      if (!isServiceError(error) || !REFUSED.has(Number(error.status))) throw error;
      if (refusal === undefined || weight(error) > weight(refusal)) refusal = error;
    }
  }
  if (readable === 0 && refusal !== undefined) throw refusal;
  return { texts, total, isMore: total > offset + wanted };
}

/** Sets that the caller may not read, that cannot be read, or that nobody serves. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 405, 501]);

/** That a login would help says most; what this caller may not read says more than what nobody can. */
function weight({ status }: ServiceError): number {
  return Number(status) === 401 ? 2 : Number(status) === 403 ? 1 : 0;
}

interface SetPage {
  readonly set: ReadSet;
  readonly page: { readonly rows: number; readonly offset: number };
}

async function readSet(exchange: Exchange, plan: AllPlan, { set, page }: SetPage): Promise<Rows> {
  const { entity, query } = set;
  const request = createRequest(exchange, {
    event: "READ",
    query,
    queryParams: {
      ...plan.queryParams,
      [LIMIT_PARAMS.rows]: page.rows,
      [LIMIT_PARAMS.offset]: page.offset,
    },
    target: entity,
    path: entity.name,
    params: [],
  });
  return toRows(await exchange.scope.service.dispatch(request));
}

function allMembers(row: Rows[number], entity: LinkedEntity, format: RowFormat): readonly string[] {
  const members = writeEntityMembers(row, entity, { format });
  if (format.metadata !== "minimal") return [members];
  const id = isSingleton(entity) ? entitySetName(entity) : canonicalUrl(entity, row);
  // rows of derived types name theirs by themselves
  const control = presentedRow(row, entity).type?.base === undefined ? [rowTypeAnnotation(entity)] : [];
  if (id !== undefined) control.push(`"@odata.id":${JSON.stringify(id)}`);
  return [...control, members];
}

/** Answers GET of `$crossjoin(A,B)`. */
export async function readCrossjoin(exchange: Exchange, plan: CrossjoinPlan): Promise<Answer> {
  const format = formatFor(exchange, plan);
  const { rows, link } = await inTransaction(exchange, async () => {
    const request = requestFor(exchange, plan);
    const rows = toRows(await exchange.scope.service.dispatch(request));
    return { rows, link: await nextLink(exchange, plan, { request, rows, total: rows.$count }) };
  });
  return collectionAnswer(exchange, format, {
    context: `${parentSteps(requestPathOf(exchange))}$metadata#Collection(Edm.ComplexType)`,
    count: plan.options.count ? rows.$count ?? rows.length : undefined,
    texts: rows.map((row) => writePair(row, plan.sets, format)),
    nextLink: link,
  });
}

/** The request is about the first set; the others are read along, as with `$expand`. */
function requestFor(exchange: Exchange, plan: CrossjoinPlan): ServiceRequest {
  const [first, ...others] = plan.sets;
  const { query, queryParams } = plan;
  const requestOf = ({ entity }: JoinedSet) =>
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
  for (const { entity, name } of plan.sets) {
    if (entity["@cds.persistence.skip"] !== true) continue;
    throw new ServiceError({ status: 400, message: `"${name}" is not in the database and cannot be joined` });
  }
  return requestOf(first!); // a join has sets
}

function writePair(row: Row, sets: readonly JoinedSet[], format: RowFormat): string {
  const members = sets.map(({ name, entity, prefix, shape }) => {
    const own: Row = {};
    for (const column in row) if (column.startsWith(prefix)) own[column.slice(prefix.length)] = row[column];
    if (shape) return `${JSON.stringify(name)}:${writeEntity(own, entity, { shape, format })}`;
    if (format.metadata === "none") return "";
    const link = isSingleton(entity) ? entitySetName(entity) : canonicalUrl(entity, own) ?? "";
    return `${JSON.stringify(`${name}@odata.navigationLink`)}:${JSON.stringify(link)}`;
  });
  return jsonObject(members);
}
