/**
 * The model files of a project.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { listFiles } from "./list_files.ts";

/** Folders of a project, relative to its root. */
export interface ProjectFolders {
  /** Data model and initial data. */
  readonly db: string;
  /** Services. */
  readonly srv: string;
  /** User interfaces. */
  readonly app: string;
  /** Feature toggles, one folder each. */
  readonly fts: string;
}

/** Folders of a project that hold model files, by their meaning. */
export function projectFolders(env: Environment): ProjectFolders {
  return {
    db: "db",
    srv: "srv",
    app: "app",
    fts: "fts",
    ...env.folders as Partial<ProjectFolders> | undefined,
  };
}

/**
 * Finds what is compiled when a project is served: all `.cds` files directly in its folders for data, services and
 * user interfaces, and `index.cds` at the root; or a compiled model (`csn.json`) where there is no source. Production
 * starts from `gen/csn.json` of `fw build`, if it is there.
 *
 * @throws ConfigurationError when the project has no model
 */
export function findModelFiles(folder: string, env: Environment): readonly string[] {
  const built = env.production ? listFiles(`${folder}/gen`, "csn.json") : [];
  if (built.length > 0) return built;
  const { db, srv, app } = projectFolders(env);
  const sources = [db, srv, app].flatMap((name) => listFiles(`${folder}/${name}`, ".cds"));
  const files = [...sources, ...listFiles(folder, ".cds")];
  if (files.length > 0) return files;
  const compiled = listFiles(folder, "csn.json");
  if (compiled.length > 0) return compiled;
  throw new ConfigurationError(
    `No model found: expected .cds files in ${folder}/${db} or ${folder}/${srv}, or ${folder}/csn.json`,
  );
}
