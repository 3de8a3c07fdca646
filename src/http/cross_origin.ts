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

/** Schemes that only scripts write, which other sites may not without our consent (CORS). */
const EXPLICIT = /^(?:bearer|dpop)\s/i;
/** Methods that may come from other sites (RFC 9110, 9.2.1), except for calls of functions. */
const SAFE = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** What decides about a request. */
export interface SiteOptions {
  /** Our own URL. */
  readonly baseUrl: URL;
  /** Origins that are allowed beside ours. */
  readonly origins: readonly string[];
  /** Whether a proxy has forwarded a client certificate. */
  readonly hasCertificate: boolean;
}

/**
 * Whether a method promises to change nothing. Functions are called by such methods, too, and may change something.
 *
 * @param method in upper case
 */
export function isSafe(method: string): boolean {
  return SAFE.has(method);
}

/**
 * Whether a request with ambient credentials (Basic, cookie, certificate, whatever else a browser may add) comes from
 * another site: neither from our own or an allowed origin, nor from no page at all. Tokens are never ambient.
 *
 * @param request the request
 * @param options what is our own
 */
export function isFromOtherSite({ headers }: WireRequest, options: SiteOptions): boolean {
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return false;
  const origin = headers.get("origin");
  if (origin === null ? site === null : isKnown(origin, options)) return false;
  const authorization = headers.get("authorization") ?? "";
  if (EXPLICIT.test(authorization)) return false;
  return authorization !== "" || headers.get("cookie") !== null || options.hasCertificate;
}

function isKnown(origin: string, { baseUrl, origins }: SiteOptions): boolean {
  return origin === baseUrl.origin || origins.includes(origin);
}
