/**
 * Building a project: the compiled model as JSON, from which production starts without a compiler (design 5).
 *
 * @module
 */

import { inferModel } from "../model/infer_model.ts";
import type { Csn, CsnDefinition } from "../model/csn.ts";
import { findModelFiles } from "./find_model_files.ts";
import { loadModel } from "./load_model.ts";
import { readConfiguration } from "./read_configuration.ts";

/** Where the compiled model lies in a project. */
const BUILT_MODEL = "gen/csn.json";

/**
 * Compiles the model of a project and writes it to `gen/csn.json`.
 *
 * @param folder root of the project
 * @returns the path written
 * @throws ConfigurationError when the model is wrong
 */
export async function buildProject(folder: string): Promise<string> {
  const path = `${folder}/${BUILT_MODEL}`;
  const text = JSON.stringify(compiledModel(folder));
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
  return path;
}

/** The inferred model; of positions only the files of services stay, relative, to find their implementations. */
function compiledModel(folder: string): Csn {
  const { env } = readConfiguration(folder);
  const sources = findModelFiles(folder, env).filter((file) => !file.endsWith(BUILT_MODEL));
  const model = inferModel(loadModel(sources));
  const definitions = Object.entries(model.definitions ?? {}).map(([name, definition]) => {
    const file = definition.$location?.file;
    const isKept = definition.kind === "service" && file?.startsWith(`${folder}/`);
    const place = isKept ? { $location: { file: file!.slice(folder.length + 1) } } : {};
    return [name, { ...withoutPlaces(definition), ...place } as CsnDefinition] as const;
  });
  return { ...model, definitions: Object.fromEntries(definitions) };
}

/** A copy of plain data without `$location`. */
function withoutPlaces<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, member) => key === "$location" ? undefined : member));
}
