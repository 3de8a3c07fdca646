/**
 * `fw add <what>... [--dest FOLDER] [--issuer URL] [--audience NAME] [--roles PATH]`
 *
 * @module
 */

import { readConfiguration } from "../deno/read_configuration.ts";
import { readTextIfExists } from "../deno/text_files.ts";
import { validate } from "../config/validate.ts";
import { existingFolder } from "./project_files.ts";
import { type Facet, FACETS, type Question, type Setting } from "./facets.ts";
import { writeFiles } from "./init_command.ts";
import { type Command, unknownWord, UsageError } from "./parse_command.ts";
import { projectConfiguration } from "./project_configuration.ts";
import { applyEdits, modify, parse } from "jsonc-parser";
import { isPlainObject } from "../util/is_plain_object.ts";

/** What `fw help add` prints. */
export const ADD_HELP = `Usage: fw add <what>... [--dest FOLDER]

Adds to the configuration and the files of a project (default: here). What is there stays as it is, comments too;
added again, nothing changes.

${Object.entries(FACETS).map(([name, { about }]) => `  ${name.padEnd(14)}${about}`).join("\n")}

Examples: fw add postgres docker
          fw add openid --issuer https://login.example.com/realms/shop --audience shop`;

/** The terminal, as far as this command uses it; tests pass their own. */
export interface AddTerminal {
  /** Asks a person; undefined where there is none, or no answer. */
  ask(text: string): string | undefined;
}

const TERMINAL: AddTerminal = {
  ask: (text) => Deno.stdin.isTerminal() ? prompt(text)?.trim() || undefined : undefined,
};

/** Adds facets to a project. */
export async function addCommand(command: Command, terminal: AddTerminal = TERMINAL): Promise<number> {
  const { words, options } = command;
  const unknown = words.find((name) => !Object.hasOwn(FACETS, name));
  if (words.length === 0 || unknown !== undefined) {
    throw unknown === undefined
      ? new UsageError(`fw add needs what to add: ${Object.keys(FACETS).join(", ")}`)
      : unknownWord("addition", unknown, Object.keys(FACETS));
  }
  const folder = await existingFolder(typeof options.dest === "string" ? options.dest : Deno.cwd());
  readConfiguration(folder); // what cannot be read cannot be changed either
  const known = words.flatMap((name) => (FACETS[name].questions ?? []).map(({ option }) => option));
  const superfluous = Object.keys(options).find((name) => name !== "dest" && !known.includes(name));
  if (superfluous !== undefined) {
    throw new UsageError(`fw add ${words.join(" ")} takes no option "--${superfluous}"`);
  }
  let code = 0;
  for (const name of words) {
    const facet = withAnswers(folder, { name, facet: FACETS[name], options, terminal });
    if (facet === undefined) return 2;
    if (!await addFacet(folder, name, facet)) code = 1;
  }
  return code;
}

interface Asked {
  readonly name: string;
  readonly facet: Facet;
  readonly options: Command["options"];
  readonly terminal: AddTerminal;
}

/** The facet with the values that options and answers give; undefined where one is missing or wrong. */
function withAnswers(folder: string, { name, facet, options, terminal }: Asked): Facet | undefined {
  const file = settingsFile(folder);
  const settings: Setting[] = [...facet.settings ?? []];
  for (const question of facet.questions ?? []) {
    const { option, path, isNeeded } = question;
    const given = options[option];
    const isThere = given === undefined && settingIn(file, path) !== undefined;
    if (isThere || (given === undefined && !isNeeded)) continue;
    const value = typeof given === "string" ? given : terminal.ask(`${name}: ${question.text}:`);
    const mistake = mistakeIn(value, question);
    if (mistake !== undefined) {
      console.error(`${name}: ${mistake}`);
      return undefined;
    }
    settings.push({ path, value: value! });
  }
  return { ...facet, settings };
}

function mistakeIn(value: string | undefined, { option, text, schema }: Question): string | undefined {
  if (value === undefined) return `needs --${option}: ${text}`;
  const problem = validate(value, schema);
  return problem && `--${option} ${problem.message}`;
}

/** Adds one facet; gives whether nothing contradicts it. */
async function addFacet(folder: string, name: string, facet: Facet): Promise<boolean> {
  const { settings = [], files = {}, next = [] } = facet;
  const file = settingsFile(folder);
  const { text, added, contradicted } = addSettings(file, settings);
  const keyOf = (path: readonly string[]) => ["fw", ...path].join(".");
  for (const { path, value } of contradicted) {
    console.error(`${name}: ${file.name} has another value of ${keyOf(path)} than ${JSON.stringify(value)}`);
  }
  if (contradicted.length > 0) return false;
  const missing = Object.entries(files).filter(([path]) =>
    readTextIfExists(`${folder}/${path}`) === undefined
  );
  await writeFiles(folder, {
    ...(added.length > 0 ? { [file.name]: text } : {}),
    ...Object.fromEntries(missing),
  });
  const changes = [
    ...added.map(({ path, value }) => `${file.name}: ${keyOf(path)} = ${JSON.stringify(value)}`),
    ...missing.map(([path]) => `${path}: written`),
    ...Object.keys(files).filter((path) => !missing.some(([one]) => one === path))
      .map((path) => `${path}: left as it is`),
  ];
  const links = Object.hasOwn(files, "Dockerfile") ? projectConfiguration(folder)?.links ?? [] : [];
  const unlink = 'an image has nothing but the folder of the project: remove "links" from deno.json, ' +
    "which takes packages from elsewhere";
  const steps = [...links.length > 0 ? [unlink] : [], ...next];
  if (added.length + missing.length === 0) console.log(`${name}: nothing to add`);
  else console.log([`${name}:`, ...changes, ...steps.map((step) => `next: ${step}`)].join("\n  "));
  return true;
}

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
function settingsFile(folder: string): SettingsFile {
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
function settingIn({ text, base }: SettingsFile, path: readonly string[]): unknown {
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
