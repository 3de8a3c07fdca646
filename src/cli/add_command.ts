/**
 * `fw add <what>... [--dest FOLDER]`
 *
 * @module
 */

import { readConfiguration } from "../deno/read_configuration.ts";
import { readTextIfExists } from "../deno/read_text.ts";
import { nearestName } from "../util/nearest_name.ts";
import { addSettings, settingsFile } from "./edit_settings.ts";
import { existingFolder } from "./existing_folder.ts";
import { type Facet, FACETS } from "./facets.ts";
import { writeFiles } from "./init_command.ts";
import type { Command } from "./parse_command.ts";

/** What `fw help add` prints. */
export const ADD_HELP = `Usage: fw add <what>... [--dest FOLDER]

Adds to the configuration and the files of a project (default: here). What is there stays as it is, comments too;
added again, nothing changes.

${Object.entries(FACETS).map(([name, { about }]) => `  ${name.padEnd(14)}${about}`).join("\n")}`;

/** Adds facets to a project. */
export async function addCommand({ words, options }: Command): Promise<number> {
  const unknown = words.find((name) => !Object.hasOwn(FACETS, name));
  if (words.length === 0 || unknown !== undefined) {
    const nearest = nearestName(unknown ?? "", Object.keys(FACETS));
    const hint = nearest ? `; did you mean "${nearest}"?` : "";
    console.error(`${unknown === undefined ? "" : `Unknown "${unknown}"${hint}\n\n`}${ADD_HELP}`);
    return 2;
  }
  const folder = await existingFolder(typeof options.dest === "string" ? options.dest : Deno.cwd());
  readConfiguration(folder); // what cannot be read cannot be changed either
  let code = 0;
  for (const name of words) if (!await addFacet(folder, name, FACETS[name])) code = 1;
  return code;
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
  if (added.length + missing.length === 0) console.log(`${name}: nothing to add`);
  else console.log([`${name}:`, ...changes, ...next.map((step) => `next: ${step}`)].join("\n  "));
  return true;
}
