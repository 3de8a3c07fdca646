/**
 * Loading the text bundles of a project.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { type TextsByLocale, textsFromFiles } from "../i18n/text_bundles.ts";
import { listFiles, readText } from "./text_files.ts";

/**
 * Reads the bundles `i18n` (labels) and `messages` from `_i18n`, `i18n` and `assets/i18n` of the project and its
 * folders; texts of the root win.
 *
 * @param folder root of the project
 * @param env its configuration
 * @param packages folders of packages with texts of their own
 */
export function loadTexts(folder: string, env: Environment, packages: readonly string[] = []): TextsByLocale {
  const configured = (env.i18n as { folders?: readonly string[] } | undefined)?.folders;
  const names = configured ?? ["_i18n", "i18n", "assets/i18n"];
  const bases = [...packages, `${folder}/app`, `${folder}/srv`, `${folder}/db`, folder];
  const files = bases.flatMap((base) => names.flatMap((name) => listFiles(`${base}/${name}`, ".properties")))
    .map((file) => [file.slice(file.lastIndexOf("/") + 1), readText(file)] as const);
  const texts = new Map(textsFromFiles("i18n", files));
  for (const [locale, messages] of textsFromFiles("messages", files)) {
    texts.set(locale, new Map([...texts.get(locale) ?? [], ...messages]));
  }
  return texts;
}
