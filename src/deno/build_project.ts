/**
 * Building a project: the compiled model as JSON, from which production starts without a compiler (design 5).
 *
 * @module
 */

import { inferModel } from "../model/infer_model.ts";
import type { Csn, CsnDefinition } from "../model/csn.ts";
import { withToggles } from "../model/toggles.ts";
import { findModelFiles } from "./find_model_files.ts";
import { loadModel } from "./load_model.ts";
import { BUILT_TOGGLES, findToggleFiles, loadToggles } from "./load_toggles.ts";
import { projectRoot } from "./project_root.ts";
import { readConfiguration } from "./read_configuration.ts";

/** Where the compiled model lies in a project. */
const BUILT_MODEL = "gen/csn.json";

/**
 * Compiles the model of a project and writes it to `gen/csn.json`, inferred unless feature toggles extend it, which are
 * written to `gen/fts/<toggle>.json`.
 *
 * @param given root of the project
 * @returns the path written
 * @throws ConfigurationError when the model is wrong
 */
export async function buildProject(given: string): Promise<string> {
  const folder = projectRoot(given);
  const path = `${folder}/${BUILT_MODEL}`;
  const { env } = readConfiguration(folder);
  const files = findModelFiles(folder, env).filter((file) => !file.endsWith(BUILT_MODEL));
  const csn = loadModel(files);
  const toggles = Object.entries(loadToggles(findToggleFiles(folder, env, files), { csn, files }));
  // finds mistakes now, and not when a user with the toggle comes
  if (toggles.length > 0) inferModel(withToggles(csn, Object.fromEntries(toggles)));
  const texts = new Map([[path, builtModel(folder, toggles.length > 0 ? csn : inferModel(csn))]]);
  for (const [name, toggle] of toggles) {
    texts.set(`${folder}/${BUILT_TOGGLES}/${name}.json`, withoutPlaces(toggle));
  }
  await Deno.remove(`${folder}/${BUILT_TOGGLES}`, { recursive: true }).catch(() => {});
  await Deno.mkdir(`${folder}/${toggles.length > 0 ? BUILT_TOGGLES : "gen"}`, { recursive: true });
  for (const [file, model] of texts) await Deno.writeTextFile(file, JSON.stringify(model));
  return path;
}

/** Of positions only the files of services stay, relative, to find their implementations. */
function builtModel(folder: string, model: Csn): Csn {
  const definitions = Object.entries(model.definitions ?? {}).map(([name, definition]) => {
    const file = definition.$location?.file;
    const isKept = definition.kind === "service" && file?.startsWith(`${folder}/`);
    const place = isKept ? { $location: { file: file!.slice(folder.length + 1) } } : {};
    return [name, { ...withoutPlaces(definition), ...place } as CsnDefinition] as const;
  });
  return { ...withoutPlaces({ ...model, definitions: {} }), definitions: Object.fromEntries(definitions) };
}

/** A copy of plain data without `$location`. */
function withoutPlaces<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, member) => key === "$location" ? undefined : member));
}
