/**
 * `fw add <what>... [--dest FOLDER] [--issuer URL] [--audience NAME] [--roles PATH]`
 *
 * @module
 */

import { readConfiguration } from "../deno/read_configuration.ts";
import { readTextIfExists } from "../deno/read_text.ts";
import { validate } from "../config/validate.ts";
import { addSettings, settingIn, settingsFile } from "./edit_settings.ts";
import { existingFolder } from "./existing_folder.ts";
import { type Facet, FACETS, type Question, type Setting } from "./facets.ts";
import { writeFiles } from "./init_command.ts";
import { unknownWord, UsageError } from "./usage_error.ts";
import type { Command } from "./parse_command.ts";
import { projectConfiguration } from "./project_configuration.ts";

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
