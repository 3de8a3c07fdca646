/**
 * Protection against requests that other sites make with the credentials a browser adds by itself (auth 11).
 *
 * @module
 */

import type { WireRequest } from "../service/wire/wire_request.ts";

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
