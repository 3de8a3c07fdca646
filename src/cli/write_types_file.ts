/**
 * The types of the model of a project in the file that its configuration names (`fw.types`).
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { findModelFiles } from "../deno/find_model_files.ts";
import { loadModel } from "../deno/load_model.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { readTextIfExists } from "../deno/read_text.ts";
import type { CompileOptions } from "../model/cdl/compile_cdl.ts";
import type { Csn } from "../model/csn.ts";
import { compile } from "../fw/facade_compile.ts";
import { writeText } from "../deno/write_text.ts";

/** A project whose types are written. */
export interface TypedProject {
  readonly env: Environment;
  /** The model as it came from the compiler. */
  readonly model: Csn;
}

/**
 * Reads configuration and model of a project.
 *
 * @param folder the project
 * @param options what takes remarks of the compiler
 * @throws ConfigurationError for a wrong configuration or model
 */
export async function readTypedProject(folder: string, options?: CompileOptions): Promise<TypedProject> {
  const { env } = readConfiguration(folder);
  return { env, model: await loadModel(findModelFiles(folder, env), options) };
}

/**
 * Writes the file if it says something else.
 *
 * @param folder the project
 * @param project its configuration and model
 * @returns the path of the file if it was written; undefined where the configuration names none, too
 * @throws ConfigurationError for a wrong configuration or model
 */
export async function writeTypesFile(
  folder: string,
  project?: TypedProject,
): Promise<string | undefined> {
  const { env, model } = project ?? await readTypedProject(folder);
  if (typeof env.types !== "string") return undefined;
  const file = `${folder.replace(/\/+$/, "")}/${env.types}`;
  const text = `${compile.to.types(model)}\n`;
  if (readTextIfExists(file) === text) return undefined;
  await writeText(file, text);
  return file;
}
