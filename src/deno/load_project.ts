/**
 * Loading a project folder into a runtime.
 *
 * @module
 */

import "./file_utilities.ts";
import { createRuntime } from "../fw/create_runtime.ts";
import { changeable } from "../config/changeable.ts";
import type { Environment } from "../config/environment.ts";
import type { Kinds } from "../fw/kinds.ts";
import type { RunNodeRouter } from "../fw/node_router.ts";
import type { Runtime, RuntimeOptions } from "../fw/runtime.ts";
import type { FrontEnds, SourceText } from "../http/front_ends.ts";
import { resolveModule } from "../model/resolve_module.ts";
import { andThen } from "../util/maybe_promise.ts";
import { normalizePath } from "../util/normalize_path.ts";
import { compileSourceWith, denoKinds, storesIn } from "./deno_kinds.ts";
import { findModelFiles, projectFolders } from "./find_model_files.ts";
import { findDataFiles, findInitModules, loadData, runInitModules } from "./load_data.ts";
import { findImplementations, type FoundImplementation, loadImplementations } from "./load_handlers.ts";
import { loadCompiler, loadModel, modelReader, type ReadModel } from "./load_model.ts";
import { isFile, listFiles, readText } from "./text_files.ts";
import { packageEntry } from "./answered_modules.ts";
import { addListeners, loadPlugins, pluggedModel } from "./load_plugins.ts";
import { loadTexts } from "./load_texts.ts";
import { findToggleFiles, loadToggles } from "./load_toggles.ts";
import { type FolderPolicies, frontEndsIn } from "./front_ends.ts";
import { bootServer } from "./boot_server.ts";
import { projectRoot } from "./project_root.ts";
import { configurationOfModule, type ProjectConfiguration, readConfiguration } from "./read_configuration.ts";
import { sourceHost } from "./source_host.ts";
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
  /** Whether the model is kept for the next start, which then parses what has changed; default: false. */
  readonly keepsModel?: boolean;
  /** Whether the runtime takes messages and does what waits; default: true. */
  readonly receives?: boolean;
  /** Finds out who is calling; default: as configured. */
  readonly strategy?: Kinds["strategy"];
  /** Paths of the model files; default: those of the folders of the project. */
  readonly modelFiles?: readonly string[];
  /** The whole configuration; default: that of the files of the project. */
  readonly environment?: Environment;
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
  await plugIn(sources);
  const models = [sources.modelFiles, ...sources.toggleFiles.values()];
  const read = await modelReader(models, options.keepsModel ? sources.root : undefined);
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
  const read = readConfiguration(root, options);
  // server.js and plugins change it
  const configuration = { ...read, env: options.environment ?? changeable(read.env) };
  // plugins ask for the folder that a configuration is that of
  Object.defineProperty(configuration.env, "_home", { value: root, configurable: true });
  const modelFiles = options.modelFiles ?? findModelFiles(root, configuration.env);
  const toggleFiles = findToggleFiles(root, configuration.env, modelFiles);
  return { root, options, configuration, modelFiles, toggleFiles };
}

/**
 * Loads the plugins of a project, which may change its configuration.
 *
 * @param sources what the project is made from
 * @throws ConfigurationError for a plugin that cannot be loaded, in production
 */
export async function plugIn({ root, configuration: { plugins, env } }: ProjectSources): Promise<void> {
  await loadPlugins(root, plugins, env);
}

/**
 * Makes a project. Its plugins take part as far as they are loaded.
 *
 * @param sources what it is made from
 * @param read reads its models
 * @throws ConfigurationError with file, line and what was expected
 */
export function assembleProject(sources: ProjectSources, read: ReadModel): Project {
  const { root, options, modelFiles, toggleFiles } = sources;
  const { name, version, env, files, port, warnings, plugins } = sources.configuration;
  // feature toggles extend the model as it is written
  const model = toggleFiles.size > 0 ? read(modelFiles) : pluggedModel(plugins, read(modelFiles), env);
  const dataFiles = findDataFiles(root, env, model);
  const runtime: Runtime = createRuntime({
    name: typeof env.name === "string" ? env.name : name,
    version,
    env,
    model,
    toggles: loadToggles(toggleFiles, { csn: model, files: modelFiles, read }),
    texts: loadTexts(root, env, plugins.map(({ file }) => file.slice(0, file.lastIndexOf("/")))),
    data: (model) => loadData(dataFiles, model, { remarks: env.remarks, ...leniency(env) }),
    handlers: async () => {
      const stray = { root, srv: projectFolders(env).srv, model: runtime.model, found: implementations };
      for (const remark of strayHandlers(stray)) runtime.log("service").warn(remark);
      const loaded = await loadImplementations(implementations, env);
      implementations = implementations.filter(({ service }) => Object.hasOwn(loaded, service.name));
      return loaded;
    },
    root,
    receives: options.receives,
    boot: (runtime) => bootServer(root, runtime),
    kinds: {
      ...projectKinds(root, modelFiles),
      frontEnds: frontEndsOf(root, env),
      modelSources: () => Promise.resolve(sourcesOf(root, modelFiles)),
      ...(options.fetch ? { fetch: options.fetch } : {}),
      ...(options.strategy ? { strategy: options.strategy } : {}),
    },
  });
  const initModules = findInitModules(root, env, model);
  runtime.events.on("connect", (service) => {
    if (service === runtime.db && initModules.length > 0) return runInitModules(initModules, runtime);
  });
  addListeners(plugins, { env, events: runtime.events, log: (id) => runtime.log(id) });
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
 * A project that is one module. What it has in folders beside it, such as front ends, counts from the working directory.
 *
 * @param module what `fw build --module` writes
 * @throws ConfigurationError when the model, the data or the configuration is wrong
 */
export function projectOfModule(module: RuntimeOptions): Project {
  const folder = Deno.cwd();
  const { env, port } = configurationOfModule(module);
  const kinds = { ...projectKinds(folder, []), frontEnds: frontEndsOf(folder, env), ...module.kinds };
  const runtime = createRuntime({ root: folder, ...module, env, kinds });
  const none = { modelFiles: [], toggleFiles: new Map(), dataFiles: [], configurationFiles: [] };
  const implemented = typeof module.handlers === "object" ? Object.keys(module.handlers) : [];
  const implementations = implemented.flatMap((name) => {
    const service = runtime.model.service(name);
    return service ? [{ service, file: "a module of the bundle" }] : [];
  });
  return { folder, runtime, ...none, implementations, port };
}

function frontEndsOf(root: string, env: Environment): FrontEnds | undefined {
  const { content_security_policy: policies } = (env.server ?? {}) as {
    readonly content_security_policy?: FolderPolicies;
  };
  return frontEndsIn(`${root}/${projectFolders(env).app}`, policies);
}

/**
 * Kinds whose names of files count from the root of the project.
 *
 * @param root root of the project
 * @param modelFiles paths of its model files, which are meant by `*`
 */
export function projectKinds(root: string, modelFiles: readonly string[]): Kinds {
  const inRoot = (path: string) => path.startsWith("/") ? path : `${root}/${path}`;
  const resolveModel = (names: readonly string[]) =>
    names.flatMap((name) => name === "*" ? modelFiles : filesNamed(root, name));
  // what is not there is named by the compiler
  const pathsOf = (names: readonly string[]) =>
    names.flatMap((name) => {
      const files = resolveModel([name]);
      return files.length > 0 ? files : [inRoot(name)];
    });
  let loaded: Promise<RunNodeRouter> | undefined;
  const nodeRouters = () =>
    loaded ??= import("./node_routers.ts").then(({ nodeRoutersIn }) => nodeRoutersIn(root));
  return {
    ...denoKinds,
    ...storesIn(root),
    importModule: (path) => denoKinds.importModule!(moduleNamed(path, root) ?? inRoot(path)),
    resolveModel,
    initialData: (csn) => {
      const { env } = readConfiguration(root);
      return (model) =>
        loadData(findDataFiles(root, env, csn), model, { remarks: env.remarks, ...leniency(env) });
    },
    loadModel: (names) => loadModel(pathsOf(names)),
    compiler: () => andThen(loadCompiler(), (compiler) => compileSourceWith(compiler, pathsOf)),
    staticFiles: (path, folder, source) => staticFiles({ root, path, folder, source }),
    nodeRouter: async (router, place) => (await nodeRouters())(router, place),
  };
}

/** A file of the model with its path below the root; a compiled model is nothing that people wrote. */
function sourcesOf(root: string, files: readonly string[]): readonly SourceText[] {
  return files.filter((file) => file.endsWith(".cds")).map((file) => ({
    name: file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file,
    text: readText(file),
  }));
}

/** A module that is named as one of a package, or without its ending. */
function moduleNamed(path: string, root: string): string | undefined {
  const file = path.startsWith("/") ? path : `${root}/${path}`;
  return [file, ...[".ts", ".js", ".mjs", ".cjs"].map((ending) => file + ending)].find(isFile) ??
    (/^[./]/.test(path) ? undefined : packageEntry(path, root, ["node", "require", "import"]));
}

/** The model files that a name stands for: a file, a folder, a module of a package. */
function filesNamed(root: string, name: string): readonly string[] {
  const host = sourceHost();
  const path = name.replace(/^file:(?:\/\/)?/, "").replace(/\/+$/, "");
  const inRoot = normalizePath(path.startsWith("/") ? path : `${root}/${path}`);
  const file = resolveModule(inRoot, `${root}/`, host) ??
    (path.startsWith("/") ? undefined : resolveModule(path, `${root}/`, host));
  return file === undefined ? listFiles(inRoot, ".cds") : [file];
}

/** What of initial data is left out instead of stopping a start. */
function leniency({ production, isLenient }: Environment): { isLenient: boolean; dropsSurplus: boolean } {
  return { isLenient: !production, dropsSurplus: isLenient };
}
