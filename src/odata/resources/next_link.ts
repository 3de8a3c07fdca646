/**
 * Links to the next page (OData Protocol 11.2.6.7).
 *
 * @module
 */

import type { SelectQuery } from "../../cqn/cqn.ts";
import type { ServiceRequest } from "../../service/service_request.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { type Exchange, rawPathOf } from "../exchange.ts";
import type { Plan } from "../plan/plan.ts";

/**
 * The link to the rest of a collection, relative to the service root; undefined when the page is the last one.
 *
 * @param exchange the exchange
 * @param plan the plan of the collection
 * @param page the request that read it, its number of rows, and the total if it was asked for
 */
export function nextLink(
  exchange: Exchange,
  plan: Plan,
  page: { readonly request: ServiceRequest; readonly length: number; readonly total: number | undefined },
): MaybePromise<string | undefined> {
  const { paging } = plan;
  if (!paging || page.length < paging.rows || paging.rows === 0) return undefined;
  if (paging.wanted !== undefined && paging.wanted <= paging.rows) return undefined;
  const end = paging.offset + paging.rows;
  const goesOn = page.total === undefined ? hasMore(exchange, page.request, end) : end < page.total;
  return andThen(goesOn, (more) => more ? linkWithToken(exchange, paging.token + paging.rows) : undefined);
}

/** Whether there is a row behind the page; where only handlers know, we expect one. */
async function hasMore(exchange: Exchange, request: ServiceRequest, end: number): Promise<boolean> {
  const { service, host } = exchange.scope;
  if (!host.db || service.handlers.for("on", request).length > 0) return true;
  const query = request.query as SelectQuery;
  if (!("SELECT" in query)) return true;
  const { count: _count, ...select } = query.SELECT;
  const probe = { SELECT: { ...select, limit: { rows: { val: 1 }, offset: { val: end } } } };
  const rows = await host.db.run(probe);
  return Array.isArray(rows) && rows.length > 0;
}

/**
 * The URL of the request with another token; `+` was a blank and stays one.
 *
 * @param exchange the request
 * @param token rows of former pages
 * @returns the URL, relative to the service root
 */
export function linkWithToken(exchange: Exchange, token: number): string {
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
