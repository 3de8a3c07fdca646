/**
 * The context of an inbound HTTP request (spec 2.1).
 *
 * @module
 */

import { type LocaleOptions, requestLocale } from "../i18n/request_locale.ts";
import { EventContext } from "./event_context.ts";
import { createHttpContext } from "./http_context.ts";

/** URL and headers of a request. */
export interface ReadRequest {
  /** The URL. */
  readonly url: string;
  /** The headers. */
  readonly headers: Pick<Headers, "get">;
}

/**
 * A context with correlation id, locale and HTTP objects; user and tenant follow from the login.
 *
 * @param request the request; it gets a method `get(name)`
 * @param options default language and preserved locales
 * @param read what its URL and headers are taken from, where they were read before
 */
export function contextFromRequest(
  request: Request,
  options: LocaleOptions = {},
  read: ReadRequest = request,
): EventContext {
  return new EventContext({
    id: correlationId(read.headers),
    locale: requestLocale(read, options),
    http: createHttpContext(request),
    mayLag: request.method === "GET" || request.method === "HEAD",
  });
}

/** Headers that carry a correlation id, the first present one counts. */
export const CORRELATION_HEADERS: readonly string[] = [
  "x-correlation-id",
  "x-correlationid",
  "x-request-id",
  "x-vcap-request-id",
];

/** What may go into logs and response headers unchanged. */
const ACCEPTED = /^[\w.:=+/-]{1,128}$/;

/**
 * The id given by the first correlation header that is present, if it is harmless; else a new UUID.
 *
 * @param headers headers of the request
 */
export function correlationId(headers: Pick<Headers, "get">): string {
  for (const name of CORRELATION_HEADERS) {
    const value = headers.get(name);
    if (value) return ACCEPTED.test(value) ? value : crypto.randomUUID();
  }
  return crypto.randomUUID();
}
