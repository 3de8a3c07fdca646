/**
 * Texts of messages, and labels of definitions and elements: `fw.i18n` (api 9).
 *
 * @module
 */

import { currentContext } from "../context/store.ts";
import { TextBundles, textsFromFiles } from "../i18n/text_bundles.ts";
import { escapeXml } from "../model/csdl/xml.ts";
import { frameworkLabel } from "../i18n/framework_labels.ts";
import type { LinkedBase, LinkedModel } from "../model/linked.ts";
import { currentRuntime } from "./current.ts";
import { utilities } from "./utilities.ts";

/** Texts that are asked for by key, definition or element. */
export interface TextBundle {
  /** A text, or `undefined` if there is none; locale: that of the context. */
  at(key: string | LinkedBase, locale?: string, args?: readonly unknown[]): string | undefined;
  /** The same. */
  for(key: string | LinkedBase, locale?: string, args?: readonly unknown[]): string | undefined;
  /** All texts of a locale by key. */
  texts4(locale?: string): Readonly<Record<string, string>>;
}

/** Where the files of a bundle are. */
export interface BundleOptions {
  /** Name of the files without locale and suffix; default: `i18n`. */
  readonly file?: string;
  /** Folders that hold them. */
  readonly folders?: readonly string[];
}

/** `fw.i18n`. */
export interface Internationalization {
  /** Texts of messages. */
  readonly messages: TextBundle;
  /** Labels. */
  readonly labels: TextBundle;
  /** The bundle of `labels` or `messages`, of a model, or of files in folders. */
  bundle4(of?: string | LinkedModel | object, options?: BundleOptions): TextBundle;
}

/** `fw.i18n`. */
export const internationalization: Internationalization = {
  messages: runtimeBundle(),
  labels: runtimeBundle(frameworkLabel),
  bundle4: (of, options) => {
    const { file = "i18n", folders } = options ?? (of ?? {}) as BundleOptions;
    return folders ? bundleOfFiles(file, folders) : internationalization.labels;
  },
};

/**
 * Metadata with texts in place of `{i18n>key}`: `fw.localize(model, "de", fw.compile.to.edmx(model))`; keys without text stay.
 *
 * @param _model the model, whose project has the texts
 * @param locale language; that of the context without one
 * @param document XML, or JSON text
 */
export function localize(_model: unknown, locale: string | undefined, document: string): string {
  const escape = document.trimStart().startsWith("<") ? escapeXml : escapeJson;
  return document.replace(/\{b?i18n>([^{}"<]+)\}/g, (whole, key: string) => {
    const text = internationalization.labels.at(key, locale);
    return text === undefined ? whole : escape(text);
  });
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The texts of the project and of the framework. */
function runtimeBundle(fallback: Lookup = () => undefined): TextBundle {
  return bundleOf(
    (key, locale, args) => currentRuntime().texts(key, locale, args) ?? fallback(key, locale),
    (locale) => currentRuntime().texts.all?.(locale) ?? new Map(),
  );
}

function bundleOfFiles(file: string, folders: readonly string[]): TextBundle {
  const { fs, isdir, path } = utilities;
  const names = folders.flatMap((one) => {
    const folder = isdir(one);
    const { readdirSync } = fs as { readdirSync(folder: string): string[] };
    const { join } = path as { join(...parts: readonly string[]): string };
    return folder === undefined ? [] : readdirSync(folder).map((name) => join(folder, name));
  });
  const { readFileSync } = fs as { readFileSync(file: string, encoding: "utf8"): string };
  const files = names.filter((name) => name.endsWith(".properties"))
    .map((name) => [name, readFileSync(name, "utf8")] as const);
  const bundles = new TextBundles({ project: textsFromFiles(file, files), framework: new Map() });
  return bundleOf((key, locale, args) => bundles.at(key, locale, args), (locale) => bundles.all(locale));
}

type Lookup = (key: string, locale?: string, args?: readonly unknown[]) => string | undefined;

function bundleOf(lookup: Lookup, all: (locale?: string) => ReadonlyMap<string, string>): TextBundle {
  const at: TextBundle["at"] = (key, locale = currentContext()?.locale, args) =>
    labelOf(key, (name) => lookup(name, locale, args));
  return { at, for: at, texts4: (locale) => Object.fromEntries(all(locale ?? currentContext()?.locale)) };
}

/**
 * The label of a key, or of what `@title` or `@Common.Label` names.
 *
 * @param given a key, or a definition or element
 * @param texts finds the text of a key
 * @returns `undefined` if there is none
 */
function labelOf(
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
