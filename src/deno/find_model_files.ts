/**
 * The model files of a project.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { resolveModule } from "../model/resolve_module.ts";
import { normalizePath } from "../util/normalize_path.ts";
import { listFiles, listFolders } from "./text_files.ts";
import { packageFolder } from "./project_root.ts";
import { sourceHost } from "./source_host.ts";

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
  const { db, srv, app, fts } = (env.folders ?? {}) as Partial<ProjectFolders>;
  return {
    db: plainPath(db ?? "db"),
    srv: plainPath(srv ?? "srv"),
    app: plainPath(app ?? "app"),
    fts: plainPath(fts ?? "fts"),
  };
}

function plainPath(path: string): string {
  return path.replace(/^\.\//, "").replace(/\/+$/, "");
}

const MEANINGS: readonly string[] = ["db", "srv", "app", "fts"];

/** Further folders with models: `folders` may name more, `srv/*` for all folders in one. */
function otherFolders(folder: string, { folders }: Environment): readonly string[] {
  return Object.entries((folders ?? {}) as Record<string, string | readonly string[]>)
    .filter(([name]) => !MEANINGS.includes(name))
    .flatMap(([, paths]) => paths)
    .map(plainPath)
    .flatMap((path) => {
      if (!path.endsWith("/*")) return [path];
      const top = path.slice(0, -2);
      return listFolders(`${folder}/${top}`).map((name) => `${top}/${name}`);
    });
}

/**
 * Finds what is compiled when a project is served: all `.cds` files directly in its folders for data, services and
 * user interfaces, `index.cds`, `schema.cds` and `services.cds` at the root (all files there, if the folders hold none), and the models that entries of `requires` name; or a compiled model
 * (`csn.json`), which holds everything, where there is no source. Production starts from `gen/csn.json` of `fw build`,
 * if it is there.
 *
 * @throws ConfigurationError when the project has no model, or an entry of `requires` names none
 */
export function findModelFiles(folder: string, env: Environment): readonly string[] {
  const built = env.production ? listFiles(`${folder}/gen`, "csn.json") : [];
  if (built.length > 0) return built;
  const files = findModelSources(folder, env);
  if (files.length > 0) return [...new Set([...files, ...requiredModels(folder, env)])];
  const compiled = listFiles(folder, "csn.json");
  if (compiled.length > 0) return compiled;
  const required = requiredModels(folder, env);
  if (required.length > 0) return required;
  const found = statOf(folder);
  if (!found?.isDirectory) {
    throw new ConfigurationError(found ? "Expected the folder of a project" : "There is no such folder", {
      file: folder,
    });
  }
  const { db, srv } = projectFolders(env);
  throw new ConfigurationError(
    `No model found: expected .cds files in ${folder}/${db} or ${folder}/${srv}, or ${folder}/csn.json`,
  );
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}

/** The `.cds` files in the folders of a project and at its root. */
export function findModelSources(folder: string, env: Environment): readonly string[] {
  const { db, srv, app } = projectFolders(env);
  const folders = [db, srv, app, ...otherFolders(folder, env)];
  const inside = folders.flatMap((name) => listFiles(`${folder}/${name}`, ".cds"));
  const top = listFiles(folder, ".cds");
  return [...inside, ...(inside.length === 0 ? top : top.filter((file) => ROOTS.test(file)))];
}

/** Files at the root of a project that has folders: others there are no part of it. */
const ROOTS = /\/(?:index|schema|services)\.cds$/;

/** The files of `fw.requires.<name>.model`: models of services of other systems, or of what is used of other packages. */
function requiredModels(folder: string, { requires, remarks, isLenient }: Environment): readonly string[] {
  return Object.entries(requires).flatMap(([name, entry]) =>
    [entry?.model ?? []].flat().filter((model) => model !== ALL).flatMap((model) =>
      modelNamed(String(model).replaceAll("\\", "/"), { folder, name, remarks, isLenient })
    )
  );
}

/** What the project serves anyway. */
const ALL = "*";

/** A model is named by a file, with or without suffix, by a folder, or by a package with a path in it. */
function modelNamed(
  model: string,
  { folder, name, remarks, isLenient }: Pick<Environment, "remarks" | "isLenient"> & {
    readonly folder: string;
    readonly name: string;
  },
): string[] {
  const path = model.startsWith("/") ? model : `./${model}`;
  const host = sourceHost();
  const file = resolveModule(path, `${folder}/`, host) ?? resolveModule(model, `${folder}/`, host);
  if (file !== undefined) return [file];
  const files = listFiles(normalizePath(model.startsWith("/") ? model : `${folder}/${model}`), ".cds");
  if (files.length > 0) return files;
  const [packageName] = /^@[^/]+\/[^/]+/.exec(model) ?? [];
  if (packageName !== undefined && packageFolder(folder, packageName) === undefined) {
    remarks.add(
      `"requires.${name}.model" names "${model}", but the package is not installed: its model is left out`,
    );
    return [];
  }
  const problem =
    `"fw.requires.${name}.model" names "${model}", but there is no such model: expected a .cds or ` +
    ".csn file, with or without its suffix, or a folder of them, relative to the project";
  if (!isLenient) throw new ConfigurationError(problem);
  remarks.add(problem);
  return [];
}
