/**
 * Errors as OData answers (JSON Format 21, spec 7.2).
 *
 * @module
 */

import { normalizeError } from "../errors/normalize_error.ts";
import { sanitizeError } from "../errors/sanitize_error.ts";
import type { Answer } from "./answer.ts";
import { type Exchange, setMessages } from "./exchange.ts";
import { ErrorWithHeaders } from "./error_with_headers.ts";
import { stringify } from "./payload/write_value.ts";

/**
 * The answer for a failed request. Errors with a 5xx status go to the log with all they hold.
 *
 * @param exchange the request
 * @param error what was thrown
 * @param contentId `Content-ID` of a multipart batch part
 */
export function errorAnswer(exchange: Exchange, error: unknown, contentId?: string): Answer {
  const { host } = exchange.scope;
  const normalized = normalizeError(error, { texts: host.texts, locale: exchange.context.locale });
  if (normalized.status >= 500) {
    // what is not implemented is no failure of the server
    const level = normalized.status === 501 ? "warn" : "error";
    host.log("odata")[level](`${exchange.method} ${exchange.rawUrl} failed:`, error);
  }
  const headers = new Headers({ "OData-Version": exchange.version });
  if (error instanceof ErrorWithHeaders) error.addTo(headers);
  if (normalized.status === 401) {
    headers.set("WWW-Authenticate", String(normalized.challenge ?? host.challenge ?? "Bearer"));
  }
  if (normalized.status === 503) headers.set("Retry-After", "10");
  setMessages(exchange, headers);
  if (normalized.status < 400) return { status: normalized.status, headers, body: null };
  headers.set("Content-Type", "application/json");
  const wire = sanitizeError(normalized, "odata");
  const body = contentId === undefined ? wire : { ...wire, "@Core.ContentID": contentId };
  return { status: normalized.status, headers, body: `{"error":${stringify(body)}}` };
}
