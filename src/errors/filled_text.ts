/**
 * Texts of bundles with the values of an error.
 *
 * @module
 */

import type { TextOptions } from "./text_lookup.ts";

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
