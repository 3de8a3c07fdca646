/**
 * Building a project: the compiled model as JSON, from which production starts without a compiler (design 5).
 *
 * @module
 */

import { dirname, relative } from "node:path";
import { linkModel } from "../model/link_model.ts";
import type { Csn, CsnDefinition } from "../model/csn.ts";
import { inferToggles, type Toggled, withToggles } from "../model/toggles.ts";
import { checkRules } from "../service/check_rules.ts";
import { findModelFiles } from "./find_model_files.ts";
import { modelReader } from "./load_model.ts";
import { BUILT_TOGGLES, findToggleFiles, loadToggles } from "./load_toggles.ts";
import { modelFile, projectRoot } from "./project_root.ts";
import { readConfiguration } from "./read_configuration.ts";
import { makeFolder, removeIfExists, writeText } from "./text_files.ts";

/** Where the compiled model lies in a project. */
const BUILT_MODEL = "gen/csn.json";

/**
 * Compiles the model of a project and writes it to `gen/csn.json`, inferred unless many feature toggles extend it, and what
 * toggles add to `gen/fts`, a file for each, or for each set of an inferred model.
 *
 * @param given root of the project
 * @returns the path written
 * @throws ConfigurationError when the model is wrong, or files cannot be written
 */
export async function buildProject(given: string): Promise<string> {
  const folder = projectRoot(given);
  const path = `${folder}/${BUILT_MODEL}`;
  const { model, toggles } = await compileProject(folder);
  const texts = Object.entries(toggles).map(([name, toggle]) =>
    [`${folder}/${BUILT_TOGGLES}/${name}.json`, toggle] as const
  );
  await removeIfExists(`${folder}/${BUILT_TOGGLES}`, { recursive: true });
  await makeFolder(`${folder}/${texts.length > 0 ? BUILT_TOGGLES : "gen"}`);
  for (const [file, csn] of [[path, model] as const, ...texts]) await writeText(file, JSON.stringify(csn));
  return path;
}

/**
 * Compiles the model of a project, and what its feature toggles add.
 *
 * @param folder root of the project
 * @throws ConfigurationError when the model is wrong
 */
export async function compileProject(folder: string): Promise<Toggled> {
  const { env } = readConfiguration(folder);
  const files = findModelFiles(folder, env).filter((file) => !file.endsWith(BUILT_MODEL));
  const toggleFiles = findToggleFiles(folder, env, files);
  const read = await modelReader([files, ...toggleFiles.values()]);
  const csn = read(files);
  const toggles = loadToggles(toggleFiles, { csn, files, read });
  const compiled = inferToggles({ model: csn, toggles });
  // finds mistakes now, and not when a user with the toggle comes
  for (const one of new Set([compiled.model, withToggles(compiled)])) checkRules(linkModel(one));
  return { model: builtModel(folder, compiled.model), toggles: withoutPlaces(compiled.toggles) };
}

/**
 * Of positions only files stay, from the root of the project: those of services, to find their implementations, and that of
 * one definition of each other folder, to find its initial rows.
 */
function builtModel(folder: string, model: Csn): Csn {
  const all = Object.entries(model.definitions ?? {});
  const services = all.filter(([, { kind }]) => kind === "service");
  const files = new Map<string, string>();
  const folders = new Set<string>();
  for (const [name, { kind, $location }] of [...services, ...all]) {
    const file = $location && relative(folder, modelFile(folder, $location.file));
    if (file === undefined || (kind !== "service" && folders.has(dirname(file)))) continue;
    files.set(name, file);
    folders.add(dirname(file));
  }
  const definitions = all.map(([name, definition]) => {
    const place = files.has(name) ? { $location: { file: files.get(name) } } : {};
    return [name, { ...withoutPlaces(definition), ...place } as CsnDefinition] as const;
  });
  return { ...withoutPlaces({ ...model, definitions: {} }), definitions: Object.fromEntries(definitions) };
}

/** A copy of plain data without `$location`. */
function withoutPlaces<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, member) => key === "$location" ? undefined : member));
}
