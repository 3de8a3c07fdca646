/**
 * Links to the next page (OData Protocol 11.2.6.7).
 *
 * @module
 */

import type { Expression, OrderTerm, QueryParams, SelectQuery } from "../../cqn/cqn.ts";
import { allOf, literal, parameter, select } from "../../algebra/build.ts";
import { fromQuery } from "../../algebra/from_cqn.ts";
import { toQuery } from "../../algebra/to_cqn.ts";
import type { Expr } from "../../algebra/tree.ts";
import { runWithContext } from "../../context/store.ts";
import type { ServiceRequest, Statement } from "../../service/requests/service_request.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { type Exchange, rawPathOf } from "../exchange.ts";
import { isJsonRows } from "../payload/json_rows.ts";
import { behindRow, comparedValue, nullsOf, tokenValue, writePageToken } from "../plan/options/keyset.ts";
import type { CrossjoinPlan, EntityPlan, KeysetTerm, Paging } from "../plan/plan.ts";
import type { JsonRows, Rows } from "../../service/database.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import { parseJson } from "../payload/parse_json.ts";
import { conjunction, equalities } from "../../cqn/conjunction.ts";
import { toRows } from "./read_request.ts";
import { keysOf } from "../../model/keys.ts";

/** What has pages that are read by one query. */
type PagedPlan = EntityPlan | CrossjoinPlan;

/**
 * The link to the rest of a collection, relative to the service root; undefined when the page is the last one. The next
 * page goes on behind the last row of this one where its values are known, and otherwise behind as many rows.
 *
 * @param exchange the exchange
 * @param plan the plan of the collection
 * @param page what was read
 */
export function nextLink(
  exchange: Exchange,
  plan: PagedPlan,
  page: ReadPage,
): MaybePromise<string | undefined> {
  const { paging } = plan;
  const length = isJsonRows(page.rows) ? page.rows.rows : page.rows.length;
  if (!paging || !isFull(paging, length)) return undefined;
  const isKnown = page.total !== undefined && !paging.behind;
  if (isKnown && paging.offset + paging.rows >= page.total!) return undefined;
  if (!isReadByDatabase(exchange, page.request)) return linkWithToken(exchange, paging.token + paging.rows);
  return runWithContext(exchange.context, () => linkBehind(exchange, plan, { page, isKnown }));
}

/**
 * The link behind a page of which all is known: its number of rows, and that others follow.
 *
 * @param exchange the exchange
 * @param plan the plan of the collection
 * @param page its last row, the total if it was asked for, and how many rows it has
 */
export function nextLinkBehind(
  exchange: Exchange,
  plan: PagedPlan,
  page: ReadPage & { readonly given: number },
): MaybePromise<string | undefined> {
  if (!plan.paging || !isFull(plan.paging, page.given)) return undefined;
  return runWithContext(exchange.context, () => linkBehind(exchange, plan, { page, isKnown: true }));
}

/** Whether a page has all the rows it may have, of more that the client wants. */
function isFull({ rows, wanted = Infinity }: Paging, length: number): boolean {
  return rows > 0 && length >= rows && wanted > rows;
}

/** Where only handlers know what follows, we expect something. */
function isReadByDatabase({ scope: { service, host } }: Exchange, request: ServiceRequest): boolean {
  const { query } = request.statement ?? {};
  return host.db !== undefined && service.handlers.for("on", request).length === 0 && query !== undefined &&
    "SELECT" in query;
}

async function linkBehind(
  exchange: Exchange,
  plan: PagedPlan,
  { page, isKnown }: { readonly page: ReadPage; readonly isKnown: boolean },
): Promise<string | undefined> {
  const { token, rows, offset } = plan.paging!; // the caller has looked
  const former = token + rows;
  const values = await lastValues(exchange, plan, page);
  const text = values && writePageToken({ former, total: page.total, values });
  if (text === undefined) {
    const isMore = isKnown || await hasMore(exchange, page.request, offset + rows);
    return isMore ? linkWithToken(exchange, former) : undefined;
  }
  const isMore = isKnown || await hasRowBehind(exchange, plan, { request: page.request, values: values! });
  return isMore ? linkWithToken(exchange, text) : undefined;
}

/** Whether there is a row behind so many others. */
async function hasMore(
  { scope: { host } }: Exchange,
  request: ServiceRequest,
  end: number,
): Promise<boolean> {
  const { count: _count, ...select } = (request.query as SelectQuery).SELECT; // read by the database
  const probe = { SELECT: { ...select, limit: { rows: { val: 1 }, offset: { val: end } } } };
  const rows = await host.db!.run(probe);
  return Array.isArray(rows) && rows.length > 0;
}

/**
 * The URL of the request with another token; `+` was a blank and stays one.
 *
 * @param exchange the request
 * @param token rows of former pages, or what names the last row
 * @returns the URL, relative to the service root
 */
export function linkWithToken(exchange: Exchange, token: number | string): string {
  const path = rawPathOf(exchange);
  const query = exchange.rawUrl.slice(path.length + 1);
  const options = query.split("&").filter((option) =>
    option !== "" && !/^(?:\$|%24)?skiptoken=/i.test(option)
  );
  return `${path}?${[...options.map(asciiOption), `$skiptoken=${token}`].join("&")}`;
}

/** An option of a URL in ASCII; `+` was a blank and stays one. */
export function asciiOption(option: string): string {
  return option.replaceAll("+", "%20").replace(/[^\x21-\x7e]/gu, (char) => encodeURIComponent(char));
}

/** A page that was read. */
export interface ReadPage {
  /** The request that read it. */
  readonly request: ServiceRequest;
  readonly rows: Rows | JsonRows;
  /** The number of rows of all pages, if it was asked for. */
  readonly total: number | undefined;
}

/** Values of the terms of an order; null is null. */
export type LastValues = readonly (string | null)[];

/**
 * The values of the last row of a page for the terms of its order. What the row does not show is read again.
 *
 * @param exchange the exchange
 * @param plan the plan of the page
 * @param page what was read
 * @returns undefined where pages go by the number of rows: the order has computed values, or was changed by a handler
 */
async function lastValues(
  exchange: Exchange,
  plan: PagedPlan,
  page: ReadPage,
): Promise<LastValues | undefined> {
  const { keyset } = plan.paging!; // the callers have looked
  if (!keyset || !isSameOrder(plan, page.request.statement!) || readsPeriod(exchange)) return undefined;
  const row = lastRow(page);
  if (!row) return undefined;
  const { service } = exchange.scope;
  const isOwn = isJsonRows(page.rows) || service.handlers.for("after", page.request).length === 0;
  const isShown = keyset.every(({ name }) => name !== undefined && row[name] !== undefined);
  const values = isOwn && isShown
    ? keyset.map(({ name }) => tokenValue(row[name!]))
    : await readValues(exchange, plan, { request: page.request, row, keyset });
  return values?.every((value, index) => isComparable(value, keyset[index]!)) ? values : undefined;
}

function lastRow({ rows }: ReadPage): Readonly<Record<string, unknown>> | undefined {
  if (!isJsonRows(rows)) return rows.at(-1);
  return rows.last === undefined
    ? undefined
    : parseJson(rows.last, Infinity) as Readonly<Record<string, unknown>>; // a row is an object
}

/** Databases may hold what the model does not allow. */
function isComparable(value: string | null, { type, nullable }: KeysetTerm): boolean {
  if (value === null) return nullable;
  try {
    comparedValue(value, type);
    return true;
  } catch {
    return false;
  }
}

/** A handler that looked at the query may have changed its order. */
function isSameOrder({ query }: PagedPlan, { query: actual, params }: Statement): boolean {
  if (params !== undefined) return true;
  const { orderBy } = (actual as SelectQuery).SELECT;
  return JSON.stringify(orderBy) === JSON.stringify(query.SELECT.orderBy);
}

/** In a period there are several rows of one key. */
function readsPeriod({ context: { validity } }: Exchange): boolean {
  return validity !== undefined && validity.to.getTime() - validity.from.getTime() > 1;
}

async function readValues(
  { scope: { host } }: Exchange,
  plan: PagedPlan,
  { request, row, keyset }: {
    readonly request: ServiceRequest;
    readonly row: Readonly<Record<string, unknown>>;
    readonly keyset: readonly KeysetTerm[];
  },
): Promise<LastValues | undefined> {
  const { query, params } = request.statement!; // the caller has looked
  const { target } = ("rows" in plan ? plan.rows : undefined) ?? plan;
  const keys = target && keysOf(target, row);
  if (!keys) return undefined;
  const { from, where, localized } = (query as SelectQuery).SELECT;
  const columns = orderOf(query as SelectQuery).map((expr, index) => ({ ...expr, as: `k${index + 1}` }));
  const own = conjunction(where, equalities(keys));
  const select = { from, columns, ...(own && { where: own }), ...(localized && { localized }) };
  const [found] = toRows(await host.db!.perform({ query: { SELECT: select } as SelectQuery, params }));
  // keys that all rows share are no terms of their order, but shown
  return found &&
    keyset.map(({ name }, index) =>
      tokenValue(index < columns.length ? found[columns[index]!.as] : row[name!])
    );
}

/** The expressions of an order, conditions of the user included. */
function orderOf({ SELECT: { orderBy = [] } }: SelectQuery): readonly Expression[] {
  return orderBy.map(({ sort: _sort, nulls: _nulls, ...expr }: OrderTerm) => expr as Expression);
}

/** Probes by what was read and which values of the last row are null; the database knows them again. */
const probes: WeakMap<SelectQuery, Map<string, SelectQuery>> = new WeakMap();
/** Probes kept per query: an order of many terms has as many as there are choices of nulls. */
const KEPT_PROBES = 64;

/**
 * Whether a row lies behind the last one of a page.
 *
 * @param exchange the exchange
 * @param plan the plan of the page
 * @param page the request that read it, and the values of its last row
 */
async function hasRowBehind(
  { scope: { host } }: Exchange,
  plan: PagedPlan,
  { request, values }: { readonly request: ServiceRequest; readonly values: LastValues },
): Promise<boolean> {
  const { query, params } = request.statement!; // the caller has looked
  const keyset = plan.paging!.keyset!; // rows have values by it
  const own: Record<string, unknown> = {};
  for (const [index, value] of values.entries()) {
    if (value !== null) own[`k${index + 1}`] = comparedValue(value, keyset[index]!.type);
  }
  const probe = probeOf(query as SelectQuery, keyset, nullsOf(values));
  const given: QueryParams = { ...params, ...own };
  return toRows(await host.db!.perform({ query: probe, params: given })).length > 0;
}

/**
 * The query that reads a row behind the last one of a page.
 *
 * @param query what read the page
 * @param keyset the terms of its order
 * @param nulls which values of the last row are null
 */
export function probeOf(query: SelectQuery, keyset: readonly KeysetTerm[], nulls: string): SelectQuery {
  const known = probes.get(query) ?? new Map<string, SelectQuery>();
  const kept = known.get(nulls);
  if (kept) return kept;
  const probe = createProbe(query, keyset, nulls);
  if (Object.isFrozen(query)) {
    probes.set(query, known);
    deepFreeze(probe);
    if (known.size < KEPT_PROBES) known.set(nulls, probe);
  }
  return probe;
}

function createProbe(query: SelectQuery, keyset: readonly KeysetTerm[], nulls: string): SelectQuery {
  const { from, where, search, localized, orderBy = [] } = fromQuery(query).SELECT;
  const terms = orderBy.map(({ sort: _sort, nulls: _nulls, ...expr }, index) => {
    return { expr: expr as Expr, term: keyset[index]! }; // a term without its direction
  });
  const operands = terms.map((_, index) => nulls[index] === "n" ? undefined : parameter(`k${index + 1}`));
  return toQuery(select({
    from,
    columns: [{ ...terms.at(-1)!.expr, as: "last" }],
    where: allOf([where, behindRow(terms, operands)]),
    search,
    localized,
    limit: { rows: literal(1) },
  }));
}
