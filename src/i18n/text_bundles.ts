/**
 * Texts by key and locale, from files in the format of Java properties: those of the project in front of those of the
 * framework.
 *
 * @module
 */

import type { TextLookup } from "../errors/service_error.ts";
import { fillPlaceholders } from "../util/fill_placeholders.ts";
import { FRAMEWORK_TEXTS } from "./framework_texts.ts";

/** Texts by key. */
export type Texts = ReadonlyMap<string, string>;

/** Texts of one kind (messages, labels) by locale; `""` is the locale of files without one. */
export type TextsByLocale = ReadonlyMap<string, Texts>;

/** What bundles are made from. */
export interface TextBundlesOptions {
  /** Texts of the project by locale. */
  readonly project?: TextsByLocale;
  /** Texts of the framework by locale; default: ours. */
  readonly framework?: TextsByLocale;
  /** The language tried before the files without locale; default `en`. */
  readonly defaultLanguage?: string;
}

/** Bundles of texts with fallback from `de_AT` over `de` to the default language. */
export class TextBundles {
  readonly #project: TextsByLocale;
  readonly #framework: TextsByLocale;
  readonly #defaultLanguage: string;

  /**
   * Creates bundles.
   *
   * @param options texts and default language
   */
  constructor(options: TextBundlesOptions = {}) {
    this.#project = options.project ?? new Map();
    this.#framework = options.framework ?? FRAMEWORK_TEXTS;
    this.#defaultLanguage = options.defaultLanguage ?? "en";
  }

  /**
   * The text of a key.
   *
   * @param key the key
   * @param locale normalized locale; default language without it
   * @param args values of `{0}`, `{1}`, …
   * @returns `undefined` when no bundle has the key
   */
  at(key: string, locale?: string, args?: readonly unknown[]): string | undefined {
    const text = this.#find(key, locale)?.text;
    return text === undefined ? undefined : fillPlaceholders(text, args);
  }

  /**
   * The locale that the text of a key is written in; texts of files without locale are those of the default language.
   *
   * @param key the key
   * @param locale normalized locale; default language without it
   * @returns `undefined` when no bundle has the key
   */
  localeOf(key: string, locale?: string): string | undefined {
    const found = this.#find(key, locale);
    return found && (found.locale || this.#defaultLanguage);
  }

  /** `at`, with the locales of texts, for those who look up. */
  lookup(): TextLookup {
    const at = (key: string, locale?: string, args?: readonly unknown[]) => this.at(key, locale, args);
    return Object.assign(at, {
      all: this.all.bind(this),
      localeOf: this.localeOf.bind(this),
      defaultLocale: this.#defaultLanguage,
    });
  }

  /** All texts of a locale by key, fallbacks included (labels of `$metadata`). */
  all(locale?: string): Map<string, string> {
    const chain = this.#chain(locale).reverse();
    const merged = new Map<string, string>();
    for (const bundles of [this.#framework, this.#project]) {
      for (const one of chain) for (const [key, text] of bundles.get(one) ?? []) merged.set(key, text);
    }
    return merged;
  }

  #find(key: string, locale: string | undefined): { text: string; locale: string } | undefined {
    const chain = this.#chain(locale);
    for (const bundles of [this.#project, this.#framework]) {
      for (const one of chain) {
        const text = bundles.get(one)?.get(key);
        if (text !== undefined) return { text, locale: one };
      }
    }
    return undefined;
  }

  #chain(locale: string | undefined): string[] {
    const chain: string[] = [];
    for (const start of [locale, this.#defaultLanguage]) {
      for (let one = start; one; one = one.slice(0, Math.max(one.lastIndexOf("_"), 0))) chain.push(one);
    }
    return [...chain, ""];
  }
}

/**
 * Texts of bundle files by locale, read from names like `messages_de.properties`.
 *
 * @param base name of the bundle: `messages`, `i18n`
 * @param files content of the files by name; of several folders the later ones win
 */
export function textsFromFiles(
  base: string,
  files: Iterable<readonly [name: string, content: string]>,
): TextsByLocale {
  const found = new Map<string, Map<string, string>>();
  for (const [name, content] of files) {
    const [, bundle, locale = ""] = /([a-zA-Z0-9]+)(?:_(\w+))?\.properties$/.exec(name) ?? [];
    if (bundle !== base) continue;
    const texts = found.get(locale) ?? new Map<string, string>();
    for (const [key, text] of parseProperties(content)) texts.set(key, text);
    found.set(locale, texts);
  }
  return found;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f" };

/**
 * Keys and texts of a `.properties` file: `key = text`, `key: text` or `key text`; comments begin with `#` or `!`; a
 * backslash at the end of a line continues it; `\uXXXX`, `\n`, `\t` and `\\` are escapes.
 *
 * @param text content of the file
 */
export function parseProperties(text: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const line of logicalLines(text)) {
    const [, key, value] = /^((?:\\.|[^\\=:\s])*)\s*[=:]?\s*([^]*)$/.exec(line)!;
    texts.set(unescape(key), unescape(value));
  }
  return texts;
}

/** Lines without comments and leading white space; continued ones joined. */
function logicalLines(text: string): string[] {
  const lines: string[] = [];
  let open = "";
  for (const raw of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    const line = raw.trimStart();
    if (open === "" && (line === "" || /^[#!]/.test(line))) continue;
    const continued = /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
    if (continued) {
      open += line.slice(0, -1);
      continue;
    }
    lines.push(open + line.trimEnd());
    open = "";
  }
  if (open !== "") lines.push(open);
  return lines;
}

function unescape(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_escape, code, char) => {
    return code === undefined ? ESCAPES[char] ?? char : String.fromCharCode(parseInt(code, 16));
  });
}
