/**
 * The language that the message of an error is written in (OData Protocol 9.4, RFC 9110 8.5).
 *
 * @module
 */

import { statusText } from "../util/status_text.ts";
import { type NormalizedError, normalizeError } from "./normalize_error.ts";
import type { TextLookup, TextOptions } from "./text_lookup.ts";

/** A complete error, and the value of `Content-Language` for its message. */
export interface LanguageError {
  readonly error: NormalizedError;
  readonly language: string;
}

/** Status phrases are not translated. */
const PHRASES = "en";

/**
 * `normalizeError`, with the language of the message: that of the bundle which has the text, else the default language,
 * as texts of handlers are written in it.
 *
 * @param error what was thrown
 * @param options where texts come from, and the locale
 */
export function normalizeWithLanguage(error: unknown, options: TextOptions): LanguageError {
  const { texts } = options;
  const locales = new Map<string, string>();
  const normalized = normalizeError(error, texts ? { ...options, texts: tracked(texts, locales) } : options);
  const { status, message, $sanitize } = normalized;
  const isPhrase = status >= 500 && $sanitize !== false;
  const found = isPhrase
    ? PHRASES
    : locales.get(message) ?? (message === statusText(status) ? PHRASES : undefined);
  return { error: normalized, language: (found ?? texts?.defaultLocale ?? PHRASES).replaceAll("_", "-") };
}

/** A lookup that notes the locales of the texts it gives. */
function tracked(texts: TextLookup, locales: Map<string, string>): TextLookup {
  const look = (key: string, locale?: string, args?: readonly unknown[]) => {
    const text = texts(key, locale, args);
    const found = text === undefined ? undefined : texts.localeOf?.(key, locale);
    if (found !== undefined) locales.set(text!, found);
    return text;
  };
  return Object.assign(look, { localeOf: texts.localeOf, defaultLocale: texts.defaultLocale });
}
