/**
 * Texts of annotations in the language of the reader.
 *
 * @module
 */

import type { CsdlTexts } from "./csdl.ts";

/**
 * Replaces `{i18n>key}` by its text.
 *
 * @param text any text
 * @param texts finds texts by key
 * @returns the text for the key, or the text as it is
 */
export function localizedText(text: string, texts?: CsdlTexts): string {
  const key = /^\{(?:i18n|bi18n)>([^{}]+)\}$/.exec(text)?.[1];
  return key === undefined ? text : texts?.(key) ?? text;
}
