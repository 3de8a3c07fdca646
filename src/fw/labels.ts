/**
 * Labels of definitions and elements (api 9).
 *
 * @module
 */

import type { LinkedBase } from "../model/linked.ts";

/**
 * The label of a key, or of what `@title` or `@Common.Label` names.
 *
 * @param given a key, or a definition or element
 * @param texts finds the text of a key
 * @returns `undefined` if there is none
 */
export function labelOf(
  given: string | LinkedBase,
  texts: (key: string) => string | undefined,
): string | undefined {
  if (typeof given === "string") return texts(given);
  const annotations = given as unknown as Readonly<Record<string, unknown>>;
  const label = annotations["@Common.Label"] ?? annotations["@title"] ?? annotations["@description"];
  if (typeof label !== "string") return texts(given.name);
  const key = /^\{(?:i18n>)?([^{}]+)\}$/.exec(label)?.[1];
  return key === undefined ? label : texts(key) ?? key;
}
