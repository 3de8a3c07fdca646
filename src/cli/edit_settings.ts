/**
 * Changes of configuration files that keep their comments and everything else in them.
 *
 * @module
 */

import { applyEdits, modify, parse } from "jsonc-parser";
import { readTextIfExists } from "../deno/read_text.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import type { Setting } from "./facets.ts";

/** A configuration file and the place in it. */
export interface SettingsFile {
  /** Its name in the project. */
  readonly name: string;
  /** What it holds. */
  readonly text: string;
  /** Keys of the object that stands for `fw`. */
  readonly base: readonly string[];
}

/** What became of settings. */
export interface EditedSettings {
  /** The text with all of them; as before where one contradicts it. */
  readonly text: string;
  /** Settings that were not there. */
  readonly added: readonly Setting[];
  /** Settings for which the file has another value. */
  readonly contradicted: readonly Setting[];
}

/**
 * The file of a project that holds its configuration; where there is none, a new one.
 *
 * @param folder root of the project
 */
export function settingsFile(folder: string): SettingsFile {
  const read = (name: string) => readTextIfExists(`${folder}/${name}`);
  const rc = read(".fwrc.json");
  if (rc !== undefined) return { name: ".fwrc.json", text: rc, base: [] };
  for (const name of ["deno.json", "deno.jsonc", "package.json"]) {
    const text = read(name);
    if (text !== undefined && isPlainObject(parse(text)?.fw)) return { name, text, base: ["fw"] };
  }
  return { name: ".fwrc.json", text: "{}\n", base: [] };
}

/**
 * The value of a setting in a file.
 *
 * @param file the file
 * @param path its keys below `fw`
 * @returns undefined where it has none
 */
export function settingIn({ text, base }: SettingsFile, path: readonly string[]): unknown {
  return valueAt(text, [...base, ...path]);
}

/**
 * Adds settings that are missing. Short forms on the way (`"db": "sqlite"`, `"messaging": true`) become objects.
 *
 * @param file where
 * @param settings what
 */
export function addSettings({ text, base }: SettingsFile, settings: readonly Setting[]): EditedSettings {
  const added: Setting[] = [];
  const contradicted: Setting[] = [];
  let edited = text;
  for (const setting of settings) {
    const path = [...base, ...setting.path];
    const expanded = expandShortForms(edited, path, base.length);
    const found = valueAt(expanded, path);
    if (found === undefined && canHold(expanded, path)) {
      added.push(setting);
      edited = withValue(expanded, path, setting.value);
    } else if (found !== setting.value) contradicted.push(setting);
  }
  return contradicted.length > 0 ? { text, added: [], contradicted } : { text: edited, added, contradicted };
}

function expandShortForms(text: string, path: readonly string[], from: number): string {
  let expanded = text;
  for (let end = from + 1; end < path.length; end++) {
    const part = path.slice(0, end);
    const value = valueAt(expanded, part);
    if (typeof value === "string") expanded = withValue(expanded, part, { kind: value });
    else if (value === true) expanded = withValue(expanded, part, {});
  }
  return expanded;
}

/** Whether nothing but objects, or nothing, is on the way. */
function canHold(text: string, path: readonly string[]): boolean {
  return path.slice(0, -1).every((_, i) => {
    const value = valueAt(text, path.slice(0, i + 1));
    return value === undefined || isPlainObject(value);
  });
}

function valueAt(text: string, path: readonly string[]): unknown {
  let value: unknown = parse(text);
  for (const key of path) {
    value = isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function withValue(text: string, path: readonly string[], value: unknown): string {
  const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: 2, eol: "\n" };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}
