/**
 * Answers and errors of REST.
 *
 * @module
 */

import { normalizeError } from "../errors/normalize_error.ts";
import { sanitizeError } from "../errors/sanitize_error.ts";
import type { Answer } from "../odata/answer.ts";
import { type AnswerParts, type Exchange, finishAnswer, setMessages } from "../odata/exchange.ts";
import { ErrorWithHeaders } from "../odata/error_with_headers.ts";
import { stringify } from "../odata/payload/write_value.ts";

const JSON_TYPE = "application/json";

/** An answer with messages and what handlers set, without headers of OData. */
export function restAnswer(exchange: Exchange, parts: AnswerParts): Answer {
  const answer = finishAnswer(exchange, parts);
  answer.headers.delete("OData-Version");
  return answer;
}

/** An answer with JSON text. */
export function jsonAnswer(
  exchange: Exchange,
  body: string,
  parts: Omit<AnswerParts, "body" | "contentType" | "status"> & { readonly status?: number } = {},
): Answer {
  const status = parts.status ?? exchange.http?.res.statusCode ?? 200;
  return restAnswer(exchange, { ...parts, status, contentType: JSON_TYPE, body });
}

/**
 * The answer for a failed request. Errors with a 5xx status go to the log with all they hold.
 *
 * @param exchange the request
 * @param error what was thrown
 */
export function restErrorAnswer(exchange: Exchange, error: unknown): Answer {
  const { host } = exchange.scope;
  const normalized = normalizeError(error, { texts: host.texts, locale: exchange.context.locale });
  if (normalized.status >= 500) {
    // what is not implemented is no failure of the server
    const level = normalized.status === 501 ? "warn" : "error";
    host.log("rest")[level](`${exchange.method} ${exchange.rawUrl} failed:`, error);
  }
  const headers = new Headers();
  if (error instanceof ErrorWithHeaders) error.addTo(headers);
  if (normalized.status === 401) {
    headers.set("WWW-Authenticate", String(normalized.challenge ?? host.challenge ?? "Bearer"));
  }
  if (normalized.status === 503) headers.set("Retry-After", "10");
  setMessages(exchange, headers);
  if (normalized.status < 400) return { status: normalized.status, headers, body: null };
  headers.set("Content-Type", JSON_TYPE);
  const body = stringify({ error: sanitizeError(normalized, "rest") });
  return { status: normalized.status, headers, body };
}
