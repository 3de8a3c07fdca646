/**
 * Links to the next page (OData Protocol 11.2.6.7).
 *
 * @module
 */

import type { SelectQuery } from "../../cqn/cqn.ts";
import { runWithContext } from "../../context/store.ts";
import type { ServiceRequest } from "../../service/requests/service_request.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { type Exchange, rawPathOf } from "../exchange.ts";
import { isJsonRows } from "../payload/json_rows.ts";
import { writePageToken } from "../plan/options/keyset.ts";
import type { Paging, Plan } from "../plan/plan.ts";
import { hasRowBehind, lastValues, type ReadPage } from "./last_row.ts";

/**
 * The link to the rest of a collection, relative to the service root; undefined when the page is the last one. The next
 * page goes on behind the last row of this one where its values are known, and otherwise behind as many rows.
 *
 * @param exchange the exchange
 * @param plan the plan of the collection
 * @param page what was read
 */
export function nextLink(exchange: Exchange, plan: Plan, page: ReadPage): MaybePromise<string | undefined> {
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
  plan: Plan,
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
  plan: Plan,
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

function asciiOption(option: string): string {
  return option.replaceAll("+", "%20").replace(/[^\x21-\x7e]/gu, (char) => encodeURIComponent(char));
}
