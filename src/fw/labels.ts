/**
 * Texts of messages, and labels of definitions and elements: `fw.i18n` (api 9).
 *
 * @module
 */

import { currentContext } from "../context/store.ts";
import { frameworkLabel } from "../i18n/framework_labels.ts";
import { escapeXml } from "../model/csdl/xml.ts";
import { TextBundles, type TextsByLocale, textsFromFiles } from "../i18n/text_bundles.ts";
import type { LinkedBase, LinkedModel } from "../model/linked.ts";
import { currentRuntime } from "./current.ts";
import { runtimeOrBare } from "./bare_runtime.ts";
import { utilities } from "./utilities.ts";

/** What a text is asked for by: a key, or a definition or element with a label. */
export type TextKey = string | number | LinkedBase;

/** Values of placeholders: `{0}` by position, `{name}` by name. */
export type TextArguments = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Texts by key. */
export type TextsByKey = Readonly<Record<string, string>>;

/** What a text is looked up by. */
type Lookup = (key: string, locale?: string) => string | undefined;

/** Where the texts of a bundle come from. */
interface Source {
  /** Name of its files. */
  readonly file: string;
  lookup(): Lookup;
  all(locale?: string): ReadonlyMap<string, string>;
  locales(): readonly string[];
}

/** Where the files of a bundle are. */
export interface BundleOptions {
  /** Name of the files without locale and suffix; default: `i18n`. */
  readonly file?: string;
  /** The same as `file`. */
  readonly basename?: string;
  /** Folders that hold them, from the root of the project; default: those of the configuration. */
  readonly folders?: readonly string[];
}

/** Texts that are asked for by key, definition or element. */
export class TextBundle {
  readonly #source: Source;

  /**
   * The bundle of files.
   *
   * @param options where they are
   */
  constructor(options: BundleOptions | Source = {}) {
    this.#source = "lookup" in options ? options : filesSource(options);
  }

  /** Name of the files without locale and suffix. */
  get file(): string {
    return this.#source.file;
  }

  /** The locales that there are texts in; `""` is that of files without one. */
  get files(): { locales(): readonly string[] } {
    return { locales: () => this.#source.locales() };
  }

  /** The texts of the default language. */
  get defaults(): TextsByKey {
    return this.texts4(defaultLanguage());
  }

  /** The texts of files without locale. */
  get fallback(): TextsByKey {
    return this.texts4("");
  }

  /**
   * A text with its placeholders filled in.
   *
   * @param key a key, or a definition or element, whose label it is
   * @param more locale (default: that of the context) and values of placeholders; either may be left out
   * @returns `undefined` if there is none
   */
  at(key: TextKey, ...more: readonly (string | TextArguments | undefined)[]): string | undefined {
    const [first, second] = more;
    const locale = typeof first === "string" ? first : currentContext()?.locale;
    const given = typeof first === "object" ? first : second;
    const lookup = this.#source.lookup();
    const text = labelOf(key, (name) => lookup(name, locale));
    return text === undefined || typeof given !== "object" ? text : filled(text, given);
  }

  /** The same as `at`. */
  for(key: TextKey, ...more: readonly (string | TextArguments | undefined)[]): string | undefined {
    return this.at(key, ...more);
  }

  /** The key of the label of a definition or element; else its name. */
  key4(definition: LinkedBase): string {
    const label = labelAnnotation(definition);
    return keyIn(label) ?? label ?? definition.name;
  }

  /** All texts of a locale by key. */
  texts4(locale: string | undefined = currentContext()?.locale): TextsByKey {
    return Object.fromEntries(this.#source.all(locale));
  }

  /** The texts of several locales, or of `all`. */
  translations4(...locales: readonly (string | readonly string[])[]): Readonly<Record<string, TextsByKey>> {
    const names = locales.flat();
    const wanted = names.includes("all") ? this.#source.locales() : names;
    return Object.fromEntries(wanted.map((locale) => [locale, this.texts4(locale)]));
  }
}

/** `fw.i18n`; bundles made by `bundle4` with a name stand beside its members. */
export interface Internationalization {
  /** Texts of messages. */
  readonly messages: TextBundle;
  /** Labels. */
  readonly labels: TextBundle;
  /** Class of bundles. */
  readonly Bundle: typeof TextBundle;
  /** Name of the files of labels. */
  readonly file: string;
  /** Folders that hold files of texts. */
  readonly folders: readonly string[];
  /** The bundle of a name, which is that of its files, of a model, or of files in folders. */
  bundle4(of?: string | LinkedModel | object, options?: BundleOptions): TextBundle;
}

const messages = new TextBundle(runtimeSource("messages"));
const labels = new TextBundle(runtimeSource("i18n", frameworkLabel));
const named: Record<string, TextBundle> = { messages, labels, i18n: labels };

/** `fw.i18n`. */
export const internationalization: Internationalization = {
  messages,
  labels,
  Bundle: TextBundle,
  file: "i18n",
  get folders() {
    return configuredFolders();
  },
  bundle4(of, options) {
    if (typeof of !== "string") {
      const given = options ?? (of ?? {}) as BundleOptions;
      return given.folders ? new TextBundle(given) : labels;
    }
    if (options) return new TextBundle({ file: of, ...options });
    const known = named[of] ??= new TextBundle({ file: of });
    if (!(of in internationalization)) Object.defineProperty(internationalization, of, { value: known });
    return known;
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
    const text = labels.at(key, locale);
    return text === undefined ? whole : escape(text);
  });
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The texts of the project and of the framework. */
function runtimeSource(file: string, fallback: Lookup = () => undefined): Source {
  return {
    file,
    lookup: () => (key, locale) => currentRuntime().texts(key, locale) ?? fallback(key, locale),
    all: (locale) => currentRuntime().texts.all?.(locale) ?? new Map(),
    locales: () => [...folderTexts(file, configuredFolders()).keys()].sort(),
  };
}

/** The texts of files in folders of the project that is served, which is another one in another runtime. */
function filesSource({ file, basename, folders }: BundleOptions): Source {
  const name = file ?? basename ?? "i18n";
  const known = new WeakMap<object, { readonly project: TextsByLocale; readonly bundles: TextBundles }>();
  const current = () => {
    const runtime = runtimeOrBare();
    let texts = known.get(runtime);
    if (!texts) {
      const project = folderTexts(name, folders ?? configuredFolders());
      const options = { project, framework: new Map(), defaultLanguage: defaultLanguage() };
      known.set(runtime, texts = { project, bundles: new TextBundles(options) });
    }
    return texts;
  };
  return {
    file: name,
    lookup: () => (key, locale) => current().bundles.at(key, locale),
    all: (locale) => current().bundles.all(locale),
    locales: () => [...current().project.keys()].sort(),
  };
}

interface TextSettings {
  readonly folders?: readonly string[];
  readonly default_language?: string;
}

function settings(): TextSettings {
  return (runtimeOrBare().env as { readonly i18n?: TextSettings }).i18n ?? {};
}

function defaultLanguage(): string {
  return settings().default_language ?? "en";
}

function configuredFolders(): readonly string[] {
  return settings().folders ?? ["_i18n", "i18n"];
}

/** A slash in front stands for the root of the project, which all folders count from. */
function folderTexts(file: string, folders: readonly string[]): TextsByLocale {
  const { fs, isdir, path } = utilities;
  const { join } = path as { join(...parts: readonly string[]): string };
  const { readdirSync, readFileSync } = fs as {
    readdirSync(folder: string): string[];
    readFileSync(file: string, encoding: "utf8"): string;
  };
  const names = folders.flatMap((one) => {
    const folder = isdir(one) ?? isdir(one.replace(/^\//, ""));
    return folder === undefined ? [] : readdirSync(folder).map((name) => join(folder, name));
  });
  const files = names.filter((name) => name.endsWith(".properties"))
    .map((name) => [name, readFileSync(name, "utf8")] as const);
  return textsFromFiles(file, files);
}

function filled(text: string, given: TextArguments): string {
  const values = given as Readonly<Record<string, unknown>>; // positions are names as well
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name) => {
    return Object.hasOwn(values, name) ? String(values[name]) : placeholder;
  });
}

/**
 * The label of a key, or of what `@title` or `@Common.Label` names.
 *
 * @param given a key, or a definition or element
 * @param texts finds the text of a key
 * @returns `undefined` if there is none
 */
function labelOf(given: TextKey, texts: (key: string) => string | undefined): string | undefined {
  if (typeof given !== "object") return texts(String(given));
  const label = labelAnnotation(given);
  if (label === undefined) return texts(given.name);
  const key = keyIn(label);
  return key === undefined ? label : texts(key) ?? key;
}

const LABELS = ["@Common.Label", "@title", "@UI.HeaderInfo.TypeName", "@description"] as const;

function labelAnnotation(given: LinkedBase): string | undefined {
  const annotations = given as unknown as Readonly<Record<string, unknown>>;
  return LABELS.map((name) => annotations[name]).find((label) => typeof label === "string") as
    | string
    | undefined;
}

function keyIn(label: string | undefined): string | undefined {
  return /^\{(?:i18n>)?([^{}]+)\}$/.exec(label ?? "")?.[1];
}
