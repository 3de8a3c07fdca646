/**
 * The types of the model of a project in the file that its configuration names (`fw.types`).
 *
 * @module
 */

import { findModelFiles } from "../deno/find_model_files.ts";
import { loadModel } from "../deno/load_model.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { readTextIfExists } from "../deno/read_text_if_exists.ts";
import { compile } from "../fw/facade_compile.ts";
import { writeOutput } from "./write_output.ts";

/**
 * Where the types of a project belong.
 *
 * @param folder the project
 * @returns the path of the file; undefined where the configuration names none
 * @throws ConfigurationError for a wrong configuration
 */
export function typesFileOf(folder: string): string | undefined {
  const { types } = readConfiguration(folder).env;
  return typeof types === "string" ? `${folder.replace(/\/+$/, "")}/${types}` : undefined;
}

/**
 * Writes the file if it says something else.
 *
 * @param folder the project
 * @returns the path of the file if it was written
 * @throws ConfigurationError for a wrong configuration or model
 */
export async function writeTypesFile(folder: string): Promise<string | undefined> {
  const file = typesFileOf(folder);
  if (file === undefined) return undefined;
  const text = `${compile.to.types(loadModel(findModelFiles(folder, readConfiguration(folder).env)))}\n`;
  if (readTextIfExists(file) === text) return undefined;
  await writeOutput(file, text);
  return file;
}
