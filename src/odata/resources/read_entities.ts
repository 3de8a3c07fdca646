/**
 * GET of entities, their number and their references (OData Protocol 11.2).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { JsonRows, Rows } from "../../service/database.ts";
import { andThenWithin, runBriefly, runWithContext } from "../../context/store.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { readDirectly, type ReadSubject } from "../../service/routes/read_directly.ts";
import { RowCursor } from "../../service/row_cursor.ts";
import { dispatchTo } from "../../service/service.ts";
import {
  type Answer,
  chosenStatus,
  type Exchange,
  finishAnswer,
  inTransaction,
  requestPathOf,
} from "../exchange.ts";
import { type Format, formatFor } from "../headers/accept.ts";
import { isUnmodifiedRow, tagOf } from "../headers/etag.ts";
import { isNullableSingleton } from "../methods.ts";
import type { EntityPlan, PlanPart } from "../plan/plan.ts";
import type { ResultShape } from "../plan/result_shape.ts";
import { contextMember, contextUrl } from "../payload/context_url.ts";
import { isJsonRows, isMissing, takesJsonText } from "../payload/json_rows.ts";
import { canonicalUrl } from "../payload/key_predicate.ts";
import { type RowFormat, writeEntity, writeEntityMembers } from "../payload/write_row.ts";
import { writeCount } from "../payload/control_information.ts";
import { LargePage, mayStream, readHead, streamPage } from "./large_page.ts";
import { nextLink, nextLinkBehind } from "./next_link.ts";
import { assertParent } from "./link_rows.ts";
import { needsValues, readParts, withValues } from "./read_parts.ts";
import { withRelated } from "./read_groups.ts";
import { readRequest, toRows } from "./read_request.ts";
import { isTracked, trackPage } from "./track_changes.ts";
import { collectionAnswer } from "./collection_answer.ts";

/** Rows of a collection with what stands beside them. */
export interface Page {
  readonly rows: Rows | JsonRows | LargePage;
  readonly count?: number;
  readonly nextLink?: string;
  readonly deltaLink?: string;
  /** Whether changes are tracked from here on. */
  readonly isTracked?: boolean;
}

/** Answers GET of a collection of entities. It may run briefly in the context of the exchange. */
export function readEntitySet(exchange: Exchange, plan: EntityPlan): MaybePromise<Answer> {
  const { context } = exchange;
  const parts = plan.applied?.parts;
  if (parts) return runWithContext(context, () => partsAnswer(exchange, plan, parts));
  const format = formatFor(exchange, plan);
  const direct = isLastPage(exchange, plan, format) ? readText(exchange, plan) : undefined;
  const page = direct === undefined
    ? inTransaction(exchange, () => {
      const planned = needsValues(plan) ? runWithContext(context, () => withValues(exchange, plan)) : plan;
      return andThenWithin(context, planned, (nodes) => readPage(exchange, nodes, format));
    })
    : andThen(direct, (rows) => lastPage(plan, rows));
  return andThenWithin(context, page, (read) => pageAnswer(exchange, plan, { page: read, format }));
}

/** The answer with a page of a collection. */
export function pageAnswer(
  exchange: Exchange,
  plan: EntityPlan,
  { page, format }: { readonly page: Page; readonly format: Format },
): Answer {
  const before: string[] = [];
  if (format.metadata !== "none") {
    before.push(contextMember(plan, requestPathOf(exchange), { collection: true }));
  }
  if (page.count !== undefined) {
    before.push(`"@odata.count":${writeCount(page.count, format)}`);
  }
  const { rows, nextLink, deltaLink } = page;
  const head = `{${before.map((part) => `${part},`).join("")}"value":`;
  const body = rows instanceof LargePage
    ? {
      stream: streamPage(exchange, rows, {
        before: `${head}[`,
        write: (row) => typeof row === "string" ? row : writeItem(row, plan, format),
        after: async (end) => {
          const total = totalOf(plan, rows.cursor);
          return `]${links({ nextLink: end && await nextLinkBehind(exchange, plan, { ...end, total }) })}}`;
        },
      }),
    }
    : { body: `${head}${writePage(rows, plan, format)}${links({ nextLink, deltaLink })}}` };
  return finishAnswer(exchange, {
    status: chosenStatus(exchange) ?? 200,
    contentType: format.contentType,
    ...body,
    applied: page.isTracked
      ? [...appliedToRead(exchange, plan), "track-changes"]
      : appliedToRead(exchange, plan),
  });
}

/** The links behind the rows of a page. */
function links({ nextLink, deltaLink }: Pick<Page, "nextLink" | "deltaLink">): string {
  const next = nextLink === undefined ? "" : `,"@odata.nextLink":${JSON.stringify(nextLink)}`;
  const delta = deltaLink === undefined ? "" : `,"@odata.deltaLink":${JSON.stringify(deltaLink)}`;
  return next + delta;
}

/**
 * The answer with the entities of a collection that a request has written.
 *
 * @param exchange the exchange
 * @param plan the plan of the URL
 * @param options the rows, and the preferences that were applied
 */
export function entitiesAnswer(
  exchange: Exchange,
  plan: EntityPlan,
  { rows, format, applied }: {
    readonly rows: Rows;
    readonly format: Format;
    readonly applied: readonly string[];
  },
): Answer {
  const context = contextUrl(plan, requestPathOf(exchange), true);
  const texts = rows.map((row) => writeItem(row, plan, format));
  return collectionAnswer(exchange, format, { context, texts, applied });
}

/** Answers GET with the rows of several queries. */
async function partsAnswer(
  exchange: Exchange,
  plan: EntityPlan,
  parts: readonly PlanPart[],
): Promise<Answer> {
  const format = formatFor(exchange, plan);
  const texts = await readParts(exchange, plan, { parts, format });
  const context = contextUrl(plan, requestPathOf(exchange), true);
  return collectionAnswer(exchange, format, { context, texts, applied: appliedToRead(exchange, plan) });
}

const NONE: readonly string[] = [];

function appliedToRead(exchange: Exchange, plan: EntityPlan): readonly string[] {
  const { maxPageSize, omitValues } = exchange.preferences;
  if (maxPageSize === undefined && omitValues === undefined) return NONE;
  const applied: string[] = [];
  if (maxPageSize !== undefined && plan.paging && maxPageSize >= plan.paging.rows) {
    applied.push("maxpagesize");
  }
  if (omitValues === "nulls") applied.push("omit-values");
  return applied;
}

/** Whether no link can follow a page, whose text is all there is to read. */
function isLastPage(exchange: Exchange, plan: EntityPlan, format: Format): boolean {
  const { paging, navigation } = plan;
  if (navigation || paging?.wanted === undefined || paging.wanted > paging.rows) return false;
  return takesJsonText(exchange, plan, format) && !isTracked(exchange, plan) && !mayStream(exchange, plan);
}

function lastPage(plan: EntityPlan, result: unknown): Page {
  const rows = isJsonRows(result) ? result : toRows(result);
  const { count, length } = isJsonRows(rows)
    ? { count: rows.count, length: rows.rows }
    : { count: rows.$count, length: rows.length };
  return { rows, count: plan.options.count ? totalOf(plan, { count }) ?? length : undefined };
}

function readPage(exchange: Exchange, plan: EntityPlan, format: Format): MaybePromise<Page> {
  const wantsLink = plan.kind === "entitySet" && isTracked(exchange, plan);
  const acceptsJson = !wantsLink && takesJsonText(exchange, plan, format);
  const acceptsCursor = !wantsLink && !plan.applied?.groups && mayStream(exchange, plan);
  const request = readRequest(exchange, plan, { acceptsJson, acceptsCursor });
  const { context } = exchange;
  const read = andThenWithin(context, dispatchTo(exchange.scope.service, request), (result) => {
    return result instanceof RowCursor ? readHead(exchange, request, result) : result;
  });
  return andThenWithin(context, read, (result) => {
    if (result instanceof LargePage) {
      return { rows: result, ...(plan.options.count && { count: totalOf(plan, result.cursor) }) };
    }
    const rows = acceptsJson && isJsonRows(result) ? result : toRows(result);
    const length = isJsonRows(rows) ? rows.rows : rows.length;
    const total = totalOf(plan, { count: isJsonRows(rows) ? rows.count : rows.$count });
    const count = plan.options.count ? total ?? length : undefined;
    const found = length === 0 ? runWithContext(context, () => assertParent(exchange, plan)) : undefined;
    const link = andThenWithin(context, found, () => nextLink(exchange, plan, { request, rows, total }));
    return andThenWithin(context, link, (nextLink) => {
      const page: Page = { rows, count, nextLink };
      const { applied, queryParams } = plan;
      const groups = applied?.groups;
      if (groups && !isJsonRows(rows)) {
        const related = runWithContext(context, () => withRelated(exchange, rows, { groups, queryParams }));
        return related.then((all) => ({ ...page, rows: all }));
      }
      return wantsLink && !isJsonRows(rows)
        ? runWithContext(context, () => withTracking(exchange, plan, { page, rows }))
        : page;
    });
  });
}

/** The number of rows of all pages: that of the first one, where it is known. */
function totalOf(
  { paging }: EntityPlan,
  { count }: { readonly count?: number | undefined },
): number | undefined {
  return paging?.behind?.total ?? count;
}

/** A page with the links of a collection whose changes the client follows. */
async function withTracking(
  exchange: Exchange,
  plan: EntityPlan,
  { page, rows }: { readonly page: Page; readonly rows: Rows },
): Promise<Page> {
  const links = await trackPage(exchange, plan, { rows, nextLink: page.nextLink });
  return links ? { ...page, ...links, isTracked: true } : page;
}

function writePage(rows: Rows | JsonRows, plan: EntityPlan, format: RowFormat): string {
  if (isJsonRows(rows)) return rows.json;
  return `[${rows.map((row) => writeItem(row, plan, format)).join(",")}]`;
}

function writeItem(row: Row, plan: EntityPlan, format: RowFormat): string {
  return plan.kind === "ref"
    ? writeReference(row, plan)
    : writeEntity(row, plan.target, { shape: plan.shape, format });
}

function writeReference(row: Row, plan: EntityPlan): string {
  return `{"@odata.id":${JSON.stringify(canonicalUrl(plan.target, row) ?? "")}}`;
}

/** Answers GET of one entity. It may run briefly in the context of the exchange. */
export function readEntity(exchange: Exchange, plan: EntityPlan): MaybePromise<Answer> {
  const format = formatFor(exchange, plan);
  const acceptsJson = plan.kind === "entity" && takesJsonText(exchange, plan, format);
  const found = acceptsJson ? readText(exchange, plan) : undefined;
  if (found === undefined) return findAnswer(exchange, plan, { format, acceptsJson });
  return andThen(found, (result) =>
    // why a row is missing is found out in a transaction
    isMissing(result)
      ? runBriefly(exchange.context, () => findAnswer(exchange, plan, { format, acceptsJson }))
      : entityAnswer(exchange, plan, { result, format }));
}

/** The answer with a row that is read in a transaction. */
function findAnswer(
  exchange: Exchange,
  plan: EntityPlan,
  { format, acceptsJson }: { readonly format: Format; readonly acceptsJson: boolean },
): MaybePromise<Answer> {
  return andThenWithin(exchange.context, findEntity(exchange, plan, acceptsJson), (result) => {
    if (isMissing(result)) return finishAnswer(exchange, { status: 204 });
    return entityAnswer(exchange, plan, { result, format });
  });
}

/** The text of the rows of a plan, where its route allows that. */
function readText({ scope, context }: Exchange, plan: EntityPlan): MaybePromise<unknown> | undefined {
  return needsValues(plan)
    ? undefined
    : readDirectly(scope.service, subjectOf(plan), { context, acceptsJson: true });
}

/** One row, which must be there. */
function findEntity(exchange: Exchange, plan: EntityPlan, acceptsJson: boolean): MaybePromise<unknown> {
  const { context } = exchange;
  return inTransaction(exchange, () => {
    const planned = needsValues(plan) ? runWithContext(context, () => withValues(exchange, plan)) : plan;
    const found = andThenWithin(context, planned, (nodes) => readRow(exchange, nodes, acceptsJson));
    return andThenWithin(context, found, (result) => {
      if (!isMissing(result)) return result;
      return runWithContext(context, () => assertFound(exchange, plan)).then(() => result);
    });
  });
}

function subjectOf(plan: EntityPlan): ReadSubject {
  return plan.rows ? { ...plan, ...plan.rows } : plan;
}

/** A row as the route of the entity says: by a statement, or by a request to the service. */
function readRow(exchange: Exchange, plan: EntityPlan, acceptsJson: boolean): MaybePromise<unknown> {
  const { scope: { service }, context } = exchange;
  const row = readDirectly(service, subjectOf(plan), { context, acceptsJson });
  return row === undefined ? dispatchTo(service, readRequest(exchange, plan, { acceptsJson })) : row;
}

/** A missing row is 404, an empty to-one navigation of an existing row or a nullable singleton is 204. */
async function assertFound(exchange: Exchange, plan: EntityPlan): Promise<void> {
  if (plan.navigation && !plan.navigation.keyed && !plan.navigation.element.is2many) {
    await assertParent(exchange, plan);
  } else if (!isNullableSingleton(plan)) throw new ServiceError({ status: 404 });
}

/**
 * The answer with one entity.
 *
 * @param exchange the exchange
 * @param plan the plan of the URL
 * @param options `result`: what the service returned; `shape`: what it shows, if not what the plan says; `status` and `headers` of the answer; `entityUrl`: the URL of the
 *   entity, where it is known
 */
export function entityAnswer(
  exchange: Exchange,
  plan: EntityPlan,
  options: {
    readonly result: unknown;
    readonly format: Format;
    readonly shape?: ResultShape | undefined;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string | undefined>>;
    readonly applied?: readonly string[];
    readonly entityUrl?: string;
  },
): Answer {
  const { result, format, shape = plan.shape } = options;
  const context = format.metadata === "none"
    ? ""
    : contextMember(plan, requestPathOf(exchange), { collection: false, shape });
  const { text, etag, row } = isJsonRows(result)
    ? jsonText(result)
    : entityText(result, plan, { format, shape });
  const headers = etag === undefined ? options.headers : { ...options.headers, etag };
  const isRead = exchange.method === "GET" || exchange.method === "HEAD";
  if (isRead && etag !== undefined && isUnmodifiedRow(exchange.preconditions, plan.target, row!)) {
    return finishAnswer(exchange, { status: 304, headers });
  }
  return finishAnswer(exchange, {
    status: options.status ?? chosenStatus(exchange) ?? 200,
    contentType: format.contentType,
    body: context === "" || text === "" ? `{${context}${text}}` : `{${context},${text}}`,
    headers,
    applied: options.applied ?? appliedToRead(exchange, plan),
    entityUrl: options.entityUrl ?? (row ? canonicalUrl(plan.target, row) : undefined),
  });
}

/** The members of an entity as text. */
interface EntityText {
  readonly text: string;
  readonly etag?: string;
  readonly row?: Row;
}

function jsonText({ json }: JsonRows): EntityText {
  return { text: json.slice(1, -1) };
}

function entityText(
  result: unknown,
  plan: EntityPlan,
  writing: { readonly format: RowFormat; readonly shape: ResultShape | undefined },
): EntityText {
  const row = (Array.isArray(result) ? result[0] : result) as Row;
  if (plan.kind === "ref") return { text: writeReference(row, plan).slice(1, -1), row };
  const text = writeEntityMembers(row, plan.target, writing);
  const etag = tagOf(plan.target, row);
  return { text, row, ...(etag !== undefined && { etag }) };
}

/** Answers GET of `/$count`. */
export async function readCount(exchange: Exchange, plan: EntityPlan): Promise<Answer> {
  const count = await inTransaction(exchange, async () => {
    const request = readRequest(exchange, await withValues(exchange, plan));
    const result = await exchange.scope.service.dispatch(request);
    if (plan.property && isMissing(result)) throw new ServiceError({ status: 404 });
    const number = countOf(result, plan.property?.name);
    if (number === 0) await assertParent(exchange, plan);
    return number;
  });
  // Accept does not apply to /$count (OData Protocol 11.2.10)
  return finishAnswer(exchange, {
    status: 200,
    contentType: "text/plain;charset=utf-8",
    body: String(count),
  });
}

function countOf(result: unknown, property?: string): number {
  if (typeof result === "number") return result;
  const first = Array.isArray(result) ? result[0] : result;
  const values = property === undefined ? undefined : (first as Row)[property];
  if (Array.isArray(values)) return values.length;
  const count = (first as { $count?: unknown } | null | undefined)?.$count;
  if (count !== undefined && count !== null) return Number(count);
  if (Array.isArray(result)) return (result as Rows).$count ?? result.length;
  return result === null || result === undefined ? 0 : 1;
}
