/**
 * Loading initial data.
 *
 * @module
 */

import { type DataReading, initialData } from "../db/initial_data.ts";
import type { Row } from "../cqn/cqn.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { Environment } from "../config/environment.ts";
import type { Csn } from "../model/csn.ts";
import { User } from "../context/user.ts";
import type { Runtime } from "../fw/runtime.ts";
import { isStored } from "../fw/stored_database.ts";
import { isMultitenant } from "../fw/tenant_databases.ts";
import { isFile, listFiles, readText } from "./text_files.ts";
import { loadModuleFile, moduleFailure } from "./require_module.ts";
import { projectFolders } from "./find_model_files.ts";
import { modelFile } from "./project_root.ts";

/**
 * Files with initial rows, CSV or JSON: in `data` and `csv` below the folder for data and below the folders of model
 * files, those of packages included, where the project has none of that name; outside production also in
 * `srv/external/data` for mocked services and in `test/data`.
 *
 * @param folder root of the project
 * @param env configuration
 * @param model whose definitions say where its files are
 */
export function findDataFiles(folder: string, env: Environment, model: Csn): readonly string[] {
  const { db, srv } = projectFolders(env);
  const own = [
    `${folder}/${db}`,
    ...(env.production ? [] : [`${folder}/${srv}/external`, `${folder}/test`]),
  ];
  const found = own.flatMap((one) => dataIn(one, one === `${folder}/${db}` ? ["data", "csv"] : ["data"]));
  const names = new Set(found.map(nameOf));
  for (const one of modelFolders(folder, model)) {
    if (own.includes(one) || one === `${folder}/${srv}/external`) continue;
    const more = dataIn(one, ["data", "csv"]).filter((file) => !names.has(nameOf(file)));
    found.push(...more);
    for (const file of more) names.add(nameOf(file));
  }
  return found.filter((file) => !hasTranslations(file, found));
}

/** Files of single languages (`Books_texts_de.csv`) take the place of the one with all of them. */
function hasTranslations(file: string, all: readonly string[]): boolean {
  const base = /^(.*[_.]texts)\.csv$/.exec(file)?.[1];
  return base !== undefined && all.some((other) => other.startsWith(`${base}_`));
}

function dataIn(folder: string, names: readonly string[]): string[] {
  return names.flatMap((name) =>
    [".csv", ".json"].flatMap((ending) => listFiles(`${folder}/${name}`, ending))
  );
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

/** Folders of the files that hold definitions. */
function modelFolders(folder: string, { definitions = {} }: Csn): ReadonlySet<string> {
  const folders = Object.values(definitions).flatMap(({ $location }) => {
    const path = $location && modelFile(folder, $location.file);
    return path === undefined ? [] : [path.slice(0, path.lastIndexOf("/"))];
  });
  return new Set(folders);
}

/**
 * Modules that add initial rows by code: `init.js` in the folder for data, and in those of packages.
 *
 * @param folder root of the project
 * @param env configuration
 * @param model whose definitions say where its files are
 */
export function findInitModules(folder: string, env: Environment, model: Csn): readonly string[] {
  const { db } = projectFolders(env);
  const folders = new Set([`${folder}/${db}`, ...modelFolders(folder, model)]);
  return [...folders].filter((one) => one.endsWith(`/${db}`)).flatMap((one) =>
    [".ts", ".js", ".mjs", ".cjs"].map((ending) => `${one}/init${ending}`).find(isFile) ?? []
  );
}

/**
 * Loads modules that add initial rows. Functions that they export are called with a transaction where the database has
 * just got its initial rows, or forgets them with the process; others may listen to events.
 *
 * @param files paths of the modules
 * @param runtime whose database is open
 * @throws ConfigurationError for a module that cannot be loaded, and for one that fails
 */
export async function runInitModules(files: readonly string[], runtime: Runtime): Promise<void> {
  const { db, env, filled } = runtime;
  const isNew = filled.length > 0 || !isStored(env.requires.db ?? {});
  for (const file of files) {
    try {
      const module = await loadModuleFile(file);
      const init = typeof module === "function" ? module : (module as { default?: unknown }).default;
      if (typeof init === "function" && isNew && !isMultitenant(env)) {
        await db!.tx({ user: User.privileged }, (tx) => init(tx)); // it is open
      }
    } catch (cause) {
      throw await moduleFailure("The module cannot add initial rows", file, cause);
    }
  }
}

/**
 * Reads initial rows by entity.
 *
 * @param files paths
 * @param model the model
 * @param reading takes what is passed over, and says whether mistakes are
 * @throws ConfigurationError with file and line of a wrong row
 */
export function loadData(
  files: readonly string[],
  model: LinkedModel,
  reading: DataReading,
): ReadonlyMap<string, readonly Row[]> {
  return initialData(model, files.map((file) => ({ file, text: readText(file) })), reading);
}
