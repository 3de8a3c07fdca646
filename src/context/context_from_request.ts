/**
 * The context of an inbound HTTP request (spec 2.1).
 *
 * @module
 */

import { type LocaleOptions, requestLocale } from "../i18n/request_locale.ts";
import { correlationId } from "./correlation_id.ts";
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
