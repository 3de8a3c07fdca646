/**
 * Queries in the body of a request: `POST …/$query` (URL Conventions 5.2, Protocol 11.2.4).
 *
 * @module
 */

import { requestValidity } from "../context/request_validity.ts";
import { mediaTypeOf, readText, unsupportedMediaType } from "../service/wire/read_body.ts";
import { type Exchange, rawPathOf } from "./exchange.ts";
import { notAllowed } from "./methods.ts";
import { checkLength } from "./url/parse_url.ts";

/** Methods of `/$query`. */
export const QUERY_METHODS: readonly string[] = ["POST", "OPTIONS"];

const MEDIA_TYPES: ReadonlySet<string> = new Set(["text/plain", "application/x-www-form-urlencoded"]);
const END = /\/(?:\$|%24)query$/;

/**
 * Whether the path of a request ends with `/$query`.
 *
 * @param exchange the request
 */
export function isQueryRequest(exchange: Exchange): boolean {
  return exchange.rawUrl.includes("query") && END.test(rawPathOf(exchange));
}

/**
 * The GET request that a request to `/$query` stands for: options of its body come behind those of its URL.
 *
 * @param exchange the request
 * @returns the request to the resource in front of `/$query`
 * @throws {ServiceError} 405 for other methods than POST, 415 for other bodies than text, 413, 414
 */
export async function withQueryBody(exchange: Exchange): Promise<Exchange> {
  const { request, scope, rawUrl, method } = exchange;
  if (method !== "POST") throw notAllowed(QUERY_METHODS);
  const type = mediaTypeOf(request.headers.get("content-type"));
  if (!MEDIA_TYPES.has(type)) throw unsupportedMediaType("text/plain", type);
  checkLength(rawUrl.length, scope.host.limits);
  const requestPath = rawPathOf(exchange);
  const options = [
    rawUrl.slice(requestPath.length + 1),
    (await readText(request, scope.settings.body)).trim(),
  ];
  const query = options.filter((option) => option !== "").join("&");
  const url = `${requestPath.replace(END, "")}${query === "" ? "" : `?${query}`}`;
  const validity = requestValidity(url);
  if (validity) exchange.context.validity = validity;
  return {
    ...exchange,
    method: "GET",
    rawUrl: url,
    requestPath,
    scope: { ...scope, plan: scope.planBody ?? scope.plan },
  };
}
