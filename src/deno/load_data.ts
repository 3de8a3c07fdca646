/**
 * Loading initial data.
 *
 * @module
 */

import { initialData } from "../db/initial_data.ts";
import type { Row } from "../cqn/cqn.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { Environment } from "../config/environment.ts";
import { projectFolders } from "./find_model_files.ts";
import { listFiles } from "./list_files.ts";
import { readText } from "./read_text.ts";

/**
 * Files with initial rows: `data/*.csv` and `csv/*.csv` below the folder for data, and, outside production,
 * `srv/external/data/*.csv` for mocked services and `test/data/*.csv`.
 */
export function findDataFiles(folder: string, env: Environment): readonly string[] {
  const { db, srv } = projectFolders(env);
  const folders = [
    `${folder}/${db}/data`,
    `${folder}/${db}/csv`,
    ...(env.production ? [] : [`${folder}/${srv}/external/data`, `${folder}/test/data`]),
  ];
  return folders.flatMap((one) => listFiles(one, ".csv"));
}

/**
 * Reads initial rows by entity.
 *
 * @throws ConfigurationError with file and line of a wrong row
 */
export function loadData(files: readonly string[], model: LinkedModel): ReadonlyMap<string, readonly Row[]> {
  return initialData(model, files.map((file) => ({ file, text: readText(file) })));
}
