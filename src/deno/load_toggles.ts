/**
 * The feature toggles of a project: what each folder below `fts` adds to the model (design 5).
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import type { Csn } from "../model/csn.ts";
import { toggleOf } from "../model/toggles.ts";
import { projectFolders } from "./find_model_files.ts";
import { listFiles, listFolders } from "./text_files.ts";
import type { ReadModel } from "./load_model.ts";

/** Where `fw build` puts the toggles of a project, a file each. */
export const BUILT_TOGGLES = "gen/fts";

/**
 * Finds the model files of each toggle: all `.cds` files of `fts/<toggle>/`, or what `fw build` made from them if the
 * model is a built one.
 *
 * @param folder root of the project
 * @param env configuration: `folders.fts`
 * @param modelFiles the files of the model without toggles
 * @returns files by name of the toggle
 */
export function findToggleFiles(
  folder: string,
  env: Environment,
  modelFiles: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  if (modelFiles.length === 1 && modelFiles[0].startsWith(`${folder}/gen/`)) {
    const files = listFiles(`${folder}/${BUILT_TOGGLES}`, ".json");
    return new Map(files.map((file) => [file.slice(file.lastIndexOf("/") + 1, -".json".length), [file]]));
  }
  const root = `${folder}/${projectFolders(env).fts}`;
  const found = listFolders(root).map((name) => [name, listFiles(`${root}/${name}`, ".cds")] as const);
  return new Map(found.filter(([, files]) => files.length > 0));
}

/**
 * Compiles the toggles.
 *
 * @param toggleFiles files by name of the toggle
 * @param model the parsed model without toggles, its files, and what read them
 * @returns what each toggle adds
 * @throws ConfigurationError with file, line and what was expected
 */
export function loadToggles(
  toggleFiles: ReadonlyMap<string, readonly string[]>,
  { csn, files: modelFiles, read }: {
    readonly csn: Csn;
    readonly files: readonly string[];
    readonly read: ReadModel;
  },
): Readonly<Record<string, Csn>> {
  const toggles = [...toggleFiles].map(([name, files]) => {
    if (files[0].endsWith(".json")) return [name, read(files)] as const;
    return [name, toggleOf(csn, read([...modelFiles, ...files]))] as const;
  });
  return Object.fromEntries(toggles);
}
