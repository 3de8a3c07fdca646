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
import { projectFolders } from "./find_model_files.ts";
import { listFiles } from "./list_files.ts";
import { readText } from "./read_text.ts";

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

/** Folders of the files that hold definitions; a compiled model names them from the root of the project. */
function modelFolders(folder: string, { definitions = {} }: Csn): ReadonlySet<string> {
  const folders = Object.values(definitions).flatMap(({ $location }) => {
    const file = $location?.file;
    if (!file?.includes("/")) return [];
    const path = file.startsWith("/") ? file : `${folder}/${file}`;
    return [path.slice(0, path.lastIndexOf("/"))];
  });
  return new Set(folders);
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
