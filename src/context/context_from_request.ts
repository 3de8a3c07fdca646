/**
 * The context of an inbound HTTP request (spec 2.1).
 *
 * @module
 */

import { type LocaleOptions, requestLocale } from "../i18n/request_locale.ts";
import { correlationId } from "./correlation_id.ts";
import { EventContext } from "./event_context.ts";
import { createHttpContext } from "./http_context.ts";

/**
 * A context with correlation id, locale and HTTP objects; user and tenant follow from the login.
 *
 * @param request the request; it gets a method `get(name)`
 * @param options default language and preserved locales
 */
export function contextFromRequest(request: Request, options: LocaleOptions = {}): EventContext {
  return new EventContext({
    id: correlationId(request.headers),
    locale: requestLocale(request, options),
    http: createHttpContext(request),
  });
}
