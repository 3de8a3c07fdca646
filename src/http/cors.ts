/**
 * Cross-origin access, off unless `fw.server.cors.origins` lists exact origins (design 15, row 12; auth 11).
 *
 * @module
 */

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const EXPOSED =
  "ETag, Location, OData-EntityId, OData-Version, Preference-Applied, fw-messages, x-correlation-id";

/** Whether a request is a preflight from an allowed origin. */
export function isPreflight(request: Request, origins: readonly string[]): boolean {
  return request.method === "OPTIONS" && request.headers.has("access-control-request-method") &&
    origins.includes(request.headers.get("origin") ?? "");
}

/** Answers a preflight. */
export function preflightResponse(request: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
      "access-control-max-age": "600",
    },
  });
}

/** Headers for answers to an allowed origin; never with credentials. */
export function corsHeaders(
  request: Request,
  origins: readonly string[],
): readonly (readonly [string, string])[] {
  if (origins.length === 0) return [];
  const origin = request.headers.get("origin");
  if (origin === null || !origins.includes(origin)) return [["vary", "Origin"]];
  return [
    ["access-control-allow-origin", origin],
    ["access-control-expose-headers", EXPOSED],
    ["vary", "Origin"],
  ];
}
