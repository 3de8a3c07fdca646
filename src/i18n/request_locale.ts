/**
 * The locale a request asks for (spec 2.1, `behaviours` 10).
 *
 * @module
 */

import { acceptsLanguages } from "../util/accepts_languages.ts";
import { normalizeLocale } from "./normalize_locale.ts";

/** What decides on the locale beside the request. */
export interface LocaleOptions {
  /** Locale for `*` and for headers without a usable language; default `en`. */
  readonly defaultLanguage?: string;
  /** Locales that keep their region. */
  readonly preserved?: readonly string[];
}

/**
 * The query option `sap-locale`, else the usable language with the best quality in `Accept-Language`, else the
 * default language; `undefined` if the request says nothing.
 *
 * @param request the request
 * @param options default language, preserved locales
 */
export function requestLocale(
  request: { readonly url: string; readonly headers: Pick<Headers, "get"> },
  options: LocaleOptions = {},
): string | undefined {
  return urlLocale(request.url, options) ?? headersLocale(request.headers, options);
}

/**
 * The locale that a URL asks for by `sap-locale`.
 *
 * @param url any part of a URL that holds its query
 * @param options preserved locales
 */
export function urlLocale(url: string, { preserved }: LocaleOptions): string | undefined {
  const fromQuery = sapLocale(url);
  return fromQuery === undefined ? undefined : normalizeLocale(fromQuery, preserved);
}

/**
 * The locale that headers ask for by `Accept-Language`.
 *
 * @param headers the headers
 * @param options default language, preserved locales
 */
export function headersLocale(
  headers: Pick<Headers, "get">,
  options: LocaleOptions,
): string | undefined {
  if (!headers.get("accept-language")) return undefined;
  for (const language of acceptsLanguages({ headers })) {
    const locale = normalizeLocale(language, options.preserved);
    if (locale !== undefined) return locale;
  }
  return options.defaultLanguage ?? "en";
}

function sapLocale(url: string): string | undefined {
  // Most URLs have no such option: the parameters are not parsed for them.
  if (!url.includes("sap-locale=")) return undefined;
  const query = url.slice(url.indexOf("?") + 1);
  return new URLSearchParams(query).get("sap-locale") ?? undefined;
}
