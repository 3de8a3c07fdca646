/**
 * Errors that no protocol has rendered.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import { fromReadable, normalizeWithLanguage } from "../errors/normalize_error.ts";
import { sanitizeError } from "../errors/sanitize_error.ts";
import { ServiceError } from "../errors/service_error.ts";
import { logMissingPermission } from "../service/authorization/refusals.ts";
import type { ServiceHost } from "../service/host.ts";

/**
 * What those get who come to a process that has enough to do: one error for all of them, as making and logging one for each
 * would take the time of those that are answered.
 */
export const BUSY: ServiceError = new ServiceError({ status: 503, retryAfter: 1 });
/** What is known about the request. */
export interface ErrorResponseOptions {
  readonly context?: EventContext;
  /** Challenge of a 401. */
  readonly challenge?: string;
}

/**
 * A JSON error body with code and message; the complete error goes to the log if it is a 5xx, unless that is what many get.
 *
 * @param error what was thrown
 * @param host for texts and log
 */
export function errorResponse(
  error: unknown,
  host: ServiceHost,
  options: ErrorResponseOptions = {},
): Response {
  return fromReadable(error, (readable) => responseOf(readable, host, options));
}

function responseOf(error: unknown, host: ServiceHost, options: ErrorResponseOptions): Response {
  const { error: normalized, language } = normalizeWithLanguage(error, {
    texts: host.texts,
    locale: options.context?.locale,
  });
  if (normalized.status >= 500) {
    if (error !== BUSY) host.log("http").error(error);
  } else logMissingPermission(host, error);
  const body = { error: sanitizeError(normalized, "plain") };
  const headers = new Headers({ "content-type": "application/json", "content-language": language });
  if (normalized.status === 401) {
    headers.set("www-authenticate", String(normalized.challenge ?? options.challenge ?? "Bearer"));
  }
  if (typeof normalized.allow === "string") headers.set("allow", normalized.allow);
  if (normalized.status === 503) headers.set("retry-after", String(normalized.retryAfter ?? 10));
  return new Response(JSON.stringify(body), { status: normalized.status, headers });
}
