/**
 * The locale a request asks for (spec 2.1, `behaviours` 10).
 *
 * @module
 */

import { acceptsLanguages } from "@std/http/negotiation";

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
  for (const language of acceptsLanguages({ headers } as Pick<Request, "headers">)) {
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

/** Locales that keep their region; the others are cut to the language. */
const PRESERVED_LOCALES: readonly string[] = [
  "en_GB",
  "es_CO",
  "es_MX",
  "fr_CA",
  "pt_PT",
  "zh_CN",
  "zh_HK",
  "zh_TW",
];

/** A language tag with region, script or extensions, `-` or `_` between the parts. */
const LOCALE = /^[a-zA-Z]{1,8}(?:[-_][a-zA-Z0-9]{1,8}){0,4}$/;

/**
 * The normalized form of a locale: `_` for `-`, without region unless it is one of the preserved ones.
 *
 * @param locale a language tag in any letter case
 * @param preserved locales that keep their region
 * @returns `undefined` for `*` and for what is no language tag
 */
export function normalizeLocale(
  locale: string,
  preserved: readonly string[] = PRESERVED_LOCALES,
): string | undefined {
  const tag = locale.trim();
  if (!LOCALE.test(tag)) return undefined;
  const plain = tag.replaceAll("-", "_").toLowerCase();
  const kept = preserved.find((one) => {
    const name = one.replaceAll("-", "_").toLowerCase();
    return plain === name || plain.startsWith(`${name}_`);
  });
  return kept?.replaceAll("-", "_") ?? plain.split("_")[0];
}
