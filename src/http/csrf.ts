/**
 * Protection against requests that other sites make with the credentials a browser adds by itself (auth 11).
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";

const SAFE = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** The part of the configuration that matters here. */
interface CsrfEnvironment {
  readonly server?: { readonly base_url?: string; readonly cors?: { readonly origins?: readonly string[] } };
  readonly security?: { readonly authentication?: { readonly clientCertificateHeader?: string } };
}

/**
 * Refuses an unsafe request with ambient credentials (Basic, cookie, certificate) unless it comes from our own or an
 * allowed origin, or from no page at all.
 *
 * @throws ServiceError 403
 */
export function assertSameSite(request: Request, url: URL, env: Readonly<Record<string, unknown>>): void {
  if (SAFE.has(request.method)) return;
  const { server, security } = env as CsrfEnvironment;
  const certificate = security?.authentication?.clientCertificateHeader ?? "x-forwarded-client-cert";
  const { headers } = request;
  const ambient = /^basic\b/i.test(headers.get("authorization") ?? "") || headers.has("cookie") ||
    headers.has(certificate);
  if (!ambient) return;
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return;
  const origin = headers.get("origin");
  if (origin === null && site === null) return;
  const own = server?.base_url ? new URL(server.base_url).origin : url.origin;
  if (origin !== null && (origin === own || server?.cors?.origins?.includes(origin))) return;
  throw new ServiceError({ status: 403, code: "403", message: "Forbidden" });
}
