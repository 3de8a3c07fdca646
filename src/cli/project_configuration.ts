/**
 * The configuration of Deno that a project brings along.
 *
 * @module
 */

import { parseJsonWithComments } from "../deno/parse_json.ts";
import { readTextIfExists } from "../deno/text_files.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { isPlainObject } from "../util/is_plain_object.ts";

/** Where a project says which version of this package it takes. */
export interface ProjectConfiguration {
  /** Its `deno.json` or `deno.jsonc`. */
  readonly file: string;
  /** What its imports name: `jsr:@fw/runtime@^0.1.0`. */
  readonly target: string;
  /** Folders with packages that are taken instead of published ones, relative to the file. */
  readonly links: readonly string[];
}

/**
 * The configuration of a folder whose imports name this package.
 *
 * @param folder root of the project
 * @returns undefined where it has none
 */
export function projectConfiguration(folder: string): ProjectConfiguration | undefined {
  for (const name of ["deno.json", "deno.jsonc"]) {
    const file = `${folder}/${name}`;
    const value = readObject(file);
    const target = isPlainObject(value?.imports) ? value.imports["@fw/runtime"] : undefined;
    const links = Array.isArray(value?.links) ? value.links.map(String) : [];
    if (typeof target === "string") return { file, target, links };
  }
  return undefined;
}

function readObject(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJsonWithComments(readTextIfExists(file) ?? "{}", file);
    return isPlainObject(value) ? value : undefined;
  } catch (error) {
    // the command that is run reads it too, and tells the mistake
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/**
 * Options for a process of `deno` that runs modules of this package for a project: the project's own configuration where
 * it leads to this package, so that its handlers find their imports; else that of the clone which runs.
 *
 * @param folder root of the project
 */
export function configurationOptions(folder: string): readonly string[] {
  const file = configurationFile(folder);
  return file === undefined ? [] : [`--config=${file}`];
}

/**
 * The file of that configuration.
 *
 * @param folder root of the project
 * @returns undefined where a project has none, and no clone runs
 */
export function configurationFile(folder: string): string | undefined {
  const project = projectConfiguration(folder);
  const root = new URL("../../", import.meta.url);
  if (root.protocol !== "file:") return project?.file;
  const isLinked = project?.links.some((link) =>
    isSameFolder(new URL(`${link}/`, `file://${project.file}`), root)
  );
  return isLinked ? project!.file : decodeURIComponent(new URL("deno.json", root).pathname);
}

function isSameFolder(one: URL, other: URL): boolean {
  try {
    return Deno.realPathSync(one) === Deno.realPathSync(other);
  } catch {
    // a link that leads nowhere is no folder
    return false;
  }
}
