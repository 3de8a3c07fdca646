/**
 * Errors as OData answers (JSON Format 21, spec 7.2).
 *
 * @module
 */

import { runBriefly } from "../context/store.ts";
import { fromReadable, type NormalizedError, normalizeWithLanguage } from "../errors/normalize_error.ts";
import { sanitizeError, type WireError } from "../errors/sanitize_error.ts";
import { type Answer, type Exchange, setMessages } from "./exchange.ts";
import { ErrorWithHeaders } from "./header_list.ts";
import { allowedMethods } from "./methods.ts";
import { logMissingPermission } from "../service/authorization/refusals.ts";
import { stringify } from "./payload/write_value.ts";

/** A failure as protocols answer it. */
export interface Failure {
  readonly error: NormalizedError;
  readonly headers: Headers;
}

/**
 * What every protocol answers a failed request with: the error and the headers that belong to it. Errors with a 5xx
 * status go to the log with all they hold.
 *
 * @param exchange the request
 * @param error what was thrown
 * @param logger name of the logger
 */
export function readFailure(exchange: Exchange, error: unknown, logger: string): Failure {
  const { host } = exchange.scope;
  const options = { texts: host.texts, locale: exchange.context.locale };
  const { error: normalized, language } = normalizeWithLanguage(error, options);
  if (normalized.status >= 500) {
    // what is not implemented is no failure of the server
    const level = normalized.status === 501 ? "warn" : "error";
    // the log names the request, whoever waited for what failed
    runBriefly(exchange.context, () => {
      host.log(logger)[level](`${exchange.method} ${exchange.rawUrl} failed:`, error);
    });
  } else runBriefly(exchange.context, () => logMissingPermission(host, error));
  const headers = new Headers();
  if (normalized.status >= 300 && normalized.status !== 304) headers.set("Content-Language", language);
  if (error instanceof ErrorWithHeaders) error.addTo(headers);
  if (normalized.status === 401) {
    headers.set("WWW-Authenticate", String(normalized.challenge ?? host.challenge ?? "Bearer"));
  }
  if (normalized.status === 405 && !headers.has("Allow")) setAllow(exchange, headers);
  if (normalized.status === 503) headers.set("Retry-After", "10");
  setMessages(exchange, headers);
  return { error: normalized, headers };
}

/** Whether a rejected request is answered with the error: handlers may reject by a redirection, or by no content. */
export function hasErrorBody(status: number): boolean {
  return status >= 300 && status !== 304;
}

/** Says what is allowed instead (RFC 9110 15.5.6), where the entity or a handler refused a method that the URL has. */
function setAllow({ scope, rawUrl, method }: Exchange, headers: Headers): void {
  let methods: readonly string[];
  try {
    methods = allowedMethods(scope.plan(rawUrl, method));
  } catch {
    return; // what the URL means was told otherwise: by a body, by earlier parts of a batch
  }
  headers.set("Allow", methods.filter((one) => one !== method).join(", "));
}

/**
 * The answer for a failed request.
 *
 * @param exchange the request
 * @param error what was thrown
 * @param contentId id of the request in a batch, where answers name it
 */
export function errorAnswer(exchange: Exchange, error: unknown, contentId?: string): Answer {
  return fromReadable(error, (readable) => answerOf(exchange, readable, contentId));
}

function answerOf(exchange: Exchange, error: unknown, contentId: string | undefined): Answer {
  const { error: normalized, headers } = readFailure(exchange, error, "odata");
  const { status } = normalized;
  headers.set("OData-Version", exchange.version);
  if (!hasErrorBody(status)) return { status, headers, body: null };
  headers.set("Content-Type", "application/json");
  const wire = sanitizeError(normalized, "odata");
  const body = contentId === undefined ? wire : withContentId(wire, contentId);
  return { status, headers, body: `{"error":${stringify(body)}}` };
}

/** Names the request that an error belongs to, for all of its details: a change set has one answer for all requests. */
function withContentId(error: WireError, contentId: string): WireError {
  const { details } = error;
  return {
    ...error,
    ...(details && { details: details.map((detail) => withContentId(detail, contentId)) }),
    "@Core.ContentID": contentId,
  };
}
