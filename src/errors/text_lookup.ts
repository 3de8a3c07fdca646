/**
 * How errors and messages get their texts.
 *
 * @module
 */

/** Texts by key, locale and arguments. */
export interface TextLookup {
  /** The text; `undefined` when no bundle has the key. */
  (key: string, locale?: string, args?: readonly unknown[]): string | undefined;
  /** The locale of the bundle that has the text of a key; `undefined` when none has it. */
  readonly localeOf?: (key: string, locale?: string) => string | undefined;
  /** All texts of a locale by key. */
  readonly all?: (locale?: string) => ReadonlyMap<string, string>;
  /** The locale of texts that no bundle has: those of handlers. */
  readonly defaultLocale?: string;
}

/** Where the texts of an error or message come from. */
export interface TextOptions {
  /** Texts by key; without it keys are not looked up. */
  readonly texts?: TextLookup;
  /** Locale of the caller. */
  readonly locale?: string;
}

/**
 * The text of a key with its placeholders filled.
 *
 * @param key the key; without one there is no text
 * @param args values of the placeholders
 * @param options where texts come from, and the locale
 * @returns undefined when no bundle has the key, and for a text with placeholders that have no value: nobody shall read them
 */
export function filledText(
  key: string | undefined,
  args: readonly unknown[] | undefined,
  { texts, locale }: TextOptions,
): string | undefined {
  const text = key ? texts?.(key, locale) : undefined;
  if (text === undefined) return undefined;
  for (const [, index] of text.matchAll(/\{(\d+)\}/g)) {
    if (args?.[Number(index)] === undefined) return undefined;
  }
  return args === undefined ? text : texts!(key!, locale, args);
}
