/**
 * `fw init [folder] [--force]`
 *
 * @module
 */

import { fileError, makeFolder, writeText } from "../deno/text_files.ts";
import { findModelFiles } from "../deno/find_model_files.ts";
import { loadModel } from "../deno/load_model.ts";
import { projectRoot } from "../deno/project_root.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { compile } from "../fw/facade_compile.ts";
import type { Command } from "./parse_command.ts";
import { cloneFrom, frameFiles, type ProjectFiles, SAMPLE_FILES } from "./project_files.ts";

/** What `fw help init` prints. */
export const INIT_HELP = `Usage: fw init [folder] [--force]

Makes a project that runs: a data model with rows, two services, typed handlers, tests, requests, tasks.

  --force    also in a folder that is not empty; files of the same names are replaced

Example: fw init my-shop`;

/** Makes a project. */
export async function initCommand({ words: [given = "."], options }: Command): Promise<number> {
  const folder = projectRoot(given);
  if (!options.force && !await isEmpty(folder)) {
    throw new ConfigurationError(
      `${folder} is not empty: name another folder, or replace files of the same names by --force`,
    );
  }
  const files = { ...frameFiles(folder, packageName(folder)), ...SAMPLE_FILES };
  await writeFiles(folder, files);
  const { env } = readConfiguration(folder);
  const types = compile.to.types(await loadModel(findModelFiles(folder, env)));
  await writeFiles(folder, { "srv/model.ts": `${types}\n` });
  for (const path of [...Object.keys(files), "srv/model.ts"].sort()) console.log(`  ${path}`);
  const clone = cloneFrom(folder);
  if (clone !== undefined) {
    console.log(
      `\n"links" of deno.json takes @fw/runtime from ${clone}: without this line it is the published one`,
    );
  }
  const enter = given === "." ? "" : `  cd ${given}\n`;
  console.log(`\nThe project is in ${folder}. Next:\n\n${enter}  deno task watch\n  deno task test`);
  return 0;
}

/**
 * Writes files, and the folders they are in.
 *
 * @param folder root of the project
 * @param files by their paths
 * @throws ConfigurationError when one cannot be written
 */
export async function writeFiles(folder: string, files: ProjectFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = `${folder}/${path}`;
    const parent = file.slice(0, file.lastIndexOf("/"));
    await makeFolder(parent);
    await writeText(file, text);
  }
}

/** Whether a folder has nothing in it, or does not exist; the repository of a version control system is nothing. */
async function isEmpty(folder: string): Promise<boolean> {
  try {
    for await (const { name } of Deno.readDir(folder)) if (name !== ".git") return false;
    return true;
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return true;
    throw fileError(cause, folder, "Cannot be read");
  }
}

/** The name of a folder as that of a package. */
function packageName(folder: string): string {
  const name = folder.slice(folder.lastIndexOf("/") + 1).toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return name.replace(/^-+|-+$/g, "") || "app";
}
