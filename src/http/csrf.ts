/**
 * Protection against requests that other sites make with the credentials a browser adds by itself (auth 11).
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";
import type { WireRequest } from "../service/wire_request.ts";

/** Schemes that only scripts write, which other sites may not without our consent (CORS). */
const EXPLICIT = /^(?:bearer|dpop)\s/i;
const SAFE = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Whether a method changes nothing, so that it may come from other sites. */
export function isSafe(method: string): boolean {
  return SAFE.has(method);
}

/** What decides about a request. */
export interface SameSiteOptions {
  /** Our own origin. */
  readonly origin: string;
  /** Origins that are allowed beside it. */
  readonly origins: readonly string[];
  /** Whether a proxy has forwarded a client certificate. */
  readonly hasCertificate: boolean;
}

/**
 * Refuses an unsafe request with ambient credentials (Basic, cookie, certificate, whatever else a browser may add)
 * unless it comes from our own or an allowed origin, or from no page at all. Tokens are never ambient.
 *
 * @throws ServiceError 403
 */
export function assertSameSite({ method, headers }: WireRequest, options: SameSiteOptions): void {
  if (isSafe(method)) return;
  const authorization = headers.get("authorization") ?? "";
  if (EXPLICIT.test(authorization)) return;
  if (authorization === "" && headers.get("cookie") === null && !options.hasCertificate) return;
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return;
  const origin = headers.get("origin");
  if (origin === null && site === null) return;
  if (origin !== null && (origin === options.origin || options.origins.includes(origin))) return;
  throw new ServiceError({ status: 403 });
}
