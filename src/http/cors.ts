/**
 * Cross-origin access, off unless `fw.server.cors.origins` lists exact origins (design 15, row 12; auth 11).
 *
 * @module
 */

import type { WireRequest } from "../service/wire/wire_request.ts";
import type { HttpSettings } from "./settings.ts";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const EXPOSED = "ETag, Location, OData-EntityId, OData-Version, Preference-Applied, x-correlation-id";

/** Whether a request is a preflight from an allowed origin. */
export function isPreflight(request: WireRequest, origins: readonly string[]): boolean {
  return request.method === "OPTIONS" && request.headers.get("access-control-request-method") !== null &&
    origins.includes(request.headers.get("origin") ?? "");
}

/** Answers a preflight. */
export function preflightResponse(request: WireRequest): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
      "access-control-max-age": "600",
    },
  });
}

/** Adds what an allowed origin needs to read an answer; never for credentials. */
export function addCorsHeaders(
  headers: Headers,
  request: WireRequest,
  { origins, messagesHeader }: Pick<HttpSettings, "origins" | "messagesHeader">,
): void {
  headers.append("vary", "Origin");
  const origin = request.headers.get("origin");
  if (origin === null || !origins.includes(origin)) return;
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", `${EXPOSED}, ${messagesHeader}`);
  // `finishResponse` has closed the answer to other sites
  headers.set("cross-origin-resource-policy", "cross-origin");
}
