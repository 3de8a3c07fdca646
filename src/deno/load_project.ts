/**
 * Loading a project folder into a runtime.
 *
 * @module
 */

import "./file_utilities.ts";
import { createRuntime } from "../fw/create_runtime.ts";
import type { Kinds } from "../fw/kinds.ts";
import type { Runtime } from "../fw/runtime.ts";
import { andThen } from "../util/maybe_promise.ts";
import { compileSourceWith, denoKinds, storesIn } from "./deno_kinds.ts";
import { findModelFiles, projectFolders } from "./find_model_files.ts";
import { findDataFiles, loadData } from "./load_data.ts";
import { findImplementations, type FoundImplementation, loadImplementations } from "./load_handlers.ts";
import { loadCompiler, loadModel, modelReader, type ReadModel } from "./load_model.ts";
import { listFiles } from "./list_files.ts";
import { loadTexts } from "./load_texts.ts";
import { findToggleFiles, loadToggles } from "./load_toggles.ts";
import { frontEndsIn } from "./front_ends.ts";
import { bootServer } from "./boot_server.ts";
import { projectRoot } from "./project_root.ts";
import { type ProjectConfiguration, readConfiguration } from "./read_configuration.ts";
import { staticFiles } from "./static_files.ts";
import { strayHandlers } from "./stray_handlers.ts";

/** What the caller adds to a project. */
export interface ProjectOptions {
  /** Configuration in code, which wins over all other sources. */
  readonly env?: Readonly<Record<string, unknown>>;
  /** Environment variables; default: those of the process. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The profiles where no variable names any; default: `development`. */
  readonly profiles?: readonly string[];
  /** Sends the requests to other services; default: `fetch`. */
  readonly fetch?: Kinds["fetch"];
  /** Paths of the model files; default: those of the folders of the project. */
  readonly modelFiles?: readonly string[];
}

/** A project and the files it was made from. */
export interface Project {
  /** Root of the project. */
  readonly folder: string;
  /** The runtime. */
  readonly runtime: Runtime;
  /** Paths of the model files. */
  readonly modelFiles: readonly string[];
  /** Paths of the model files of each feature toggle. */
  readonly toggleFiles: ReadonlyMap<string, readonly string[]>;
  /** Paths of the files with initial rows. */
  readonly dataFiles: readonly string[];
  /** Names of the configuration files that were read. */
  readonly configurationFiles: readonly string[];
  /** The variable `PORT`. */
  readonly port: number | undefined;
  /** Services with the files that implement them; before the start of the runtime, those that may. */
  readonly implementations: readonly FoundImplementation[];
}

/**
 * Loads a project: configuration, model, texts, initial data, implementations. The runtime is started by the caller. The
 * compiler is loaded if the model is not a compiled one.
 *
 * @param folder the root of the project
 * @throws ConfigurationError with file, line and what was expected
 */
export async function loadProject(folder: string, options: ProjectOptions = {}): Promise<Project> {
  const sources = findSources(folder, options);
  const read = await modelReader([sources.modelFiles, ...sources.toggleFiles.values()]);
  return assembleProject(sources, read);
}

/** What a project is made from. */
export interface ProjectSources extends Pick<Project, "modelFiles" | "toggleFiles"> {
  /** Root of the project. */
  readonly root: string;
  /** What the caller adds. */
  readonly options: ProjectOptions;
  /** What configuration and variables say. */
  readonly configuration: ProjectConfiguration;
}

/**
 * Finds what a project is made from: its configuration, the files of its model.
 *
 * @param folder the root of the project
 * @param options what the caller adds
 * @throws ConfigurationError with file, line and what was expected
 */
export function findSources(folder: string, options: ProjectOptions): ProjectSources {
  const root = projectRoot(folder);
  const configuration = readConfiguration(root, options);
  const modelFiles = options.modelFiles ?? findModelFiles(root, configuration.env);
  const toggleFiles = findToggleFiles(root, configuration.env, modelFiles);
  return { root, options, configuration, modelFiles, toggleFiles };
}

/**
 * Makes a project.
 *
 * @param sources what it is made from
 * @param read reads its models
 * @throws ConfigurationError with file, line and what was expected
 */
export function assembleProject(sources: ProjectSources, read: ReadModel): Project {
  const { root, options, modelFiles, toggleFiles } = sources;
  const { name, version, env, files, port, warnings } = sources.configuration;
  const model = read(modelFiles);
  const dataFiles = findDataFiles(root, env, model);
  const frontEnds = frontEndsIn(`${root}/${projectFolders(env).app}`);
  const runtime: Runtime = createRuntime({
    name: typeof env.name === "string" ? env.name : name,
    version,
    env,
    model,
    toggles: loadToggles(toggleFiles, { csn: model, files: modelFiles, read }),
    texts: loadTexts(root, env),
    data: (model) => loadData(dataFiles, model, env.remarks),
    handlers: async () => {
      const stray = { root, srv: projectFolders(env).srv, model: runtime.model, found: implementations };
      for (const remark of strayHandlers(stray)) runtime.log("service").warn(remark);
      const loaded = await loadImplementations(implementations);
      implementations = implementations.filter(({ service }) => Object.hasOwn(loaded, service.name));
      return loaded;
    },
    root,
    boot: (runtime) => bootServer(root, runtime),
    kinds: {
      ...projectKinds(root, modelFiles),
      frontEnds,
      ...(options.fetch ? { fetch: options.fetch } : {}),
    },
  });
  for (const warning of warnings) runtime.log("server").warn(warning);
  let implementations: readonly FoundImplementation[] = findImplementations(root, runtime.model, env);
  return {
    folder: root,
    runtime,
    modelFiles,
    toggleFiles,
    dataFiles,
    configurationFiles: files,
    get implementations() {
      return implementations;
    },
    port,
  };
}

/**
 * Kinds whose names of files count from the root of the project.
 *
 * @param root root of the project
 * @param modelFiles paths of its model files, which are meant by `*`
 */
export function projectKinds(root: string, modelFiles: readonly string[]): Kinds {
  const inRoot = (path: string) => indexOf(path.startsWith("/") ? path : `${root}/${path}`);
  const pathsOf = (names: readonly string[]) =>
    names.flatMap((name) => name === "*" ? modelFiles : [inRoot(name)]);
  return {
    ...denoKinds,
    ...storesIn(root),
    importModule: (path) => denoKinds.importModule!(inRoot(path)),
    loadModel: (names) => loadModel(pathsOf(names)),
    compiler: () => andThen(loadCompiler(), (compiler) => compileSourceWith(compiler, pathsOf)),
    staticFiles: (path, folder, source) => staticFiles({ root, path, folder, source }),
  };
}

/** The file that a folder stands for. */
function indexOf(path: string): string {
  const isIndexed = !path.endsWith(".cds") && listFiles(path, "index.cds").includes(`${path}/index.cds`);
  return isIndexed ? `${path}/index.cds` : path;
}
