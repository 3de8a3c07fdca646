/**
 * `fw watch [folder] [--port N]`: serves in a process that another one replaces when a file changes.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { printWarning, printWarnings } from "./describe_mistakes.ts";
import { assertPort, type Command } from "./parse_command.ts";
import { ReplacedServers } from "./replaced_servers.ts";
import type { Environment } from "../config/environment.ts";
import { findModelFiles } from "../deno/find_model_files.ts";
import { loadModel } from "../deno/load_model.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { readTextIfExists, writeText } from "../deno/text_files.ts";
import type { CompileOptions } from "../model/cdl/compile_cdl.ts";
import type { Csn } from "../model/csn.ts";
import { compile } from "../fw/facade_compile.ts";

/** What `fw help watch` prints. */
export const WATCH_HELP = `Usage: fw watch [folder] [options]

Serves a project like fw serve, and starts again when a model, a handler, data, texts or the configuration change. The
server that is there answers until the new one does; with a mistake in the project it goes on.
Types are written anew where "fw.types" of the configuration names a file.

  --port N         port; 0 takes a free one
  --profile NAME   whose configuration, instead of FW_ENV

Examples: fw watch
          fw watch my-shop --port 8080`;

const WATCHED = /\.(cds|csn|json|jsonc|ts|js|mjs|csv|properties|env)$/;
/** What no server reads. */
const IGNORED = /[/\\](node_modules|\.git|dist)[/\\]|[._]test\.[cm]?[jt]s$/;
/** What types and remarks follow from. */
const MODEL = /\.(cds|csn|json|jsonc|env)$/;
/** What a process knows from its start. */
const CONFIGURATION = /\.(json|jsonc|env)$/;
/** Editors write a file in several steps: changes within this time count as one. */
const SETTLE_MS = 30;

/** Watches until it is interrupted. */
export async function watchCommand({ words, options }: Command): Promise<number> {
  assertPort(options);
  const folder = words[0] ?? Deno.cwd();
  let watcher: Deno.FsWatcher;
  try {
    watcher = Deno.watchFs(folder, { recursive: true });
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? "There is no such folder"
      : (error as Error).message;
    console.error(`Cannot watch ${folder}: ${reason}`);
    return 1;
  }
  let types = await refresh(folder);
  const servers = new ReplacedServers(folder, options.port === undefined ? undefined : Number(options.port));
  const stop = () => watcher.close();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, stop);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = new Set<string>();
  const take = async () => {
    // types are written while a model is refreshed: they are no change of anybody
    const paths = [...changed].filter((path) => path !== types);
    changed.clear();
    if (paths.length === 0) return;
    // the next server reads the model while this process looks at it
    await servers.replace(paths[0]!, paths.some((path) => CONFIGURATION.test(path)));
    if (paths.some((path) => MODEL.test(path))) types = await refresh(folder) ?? types;
  };
  for await (const event of watcher) {
    const paths = event.kind === "access" ? [] : event.paths.filter(isWatched);
    if (paths.length === 0) continue;
    for (const path of paths) changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(take, SETTLE_MS);
  }
  clearTimeout(timer);
  for (const signal of SIGNALS) Deno.removeSignalListener(signal, stop);
  return await servers.stop();
}

/**
 * Prints remarks about the model and writes its types where the project wants them; the server tells mistakes.
 *
 * @param folder the project
 * @returns the path of the types; undefined where there are none, or the project has mistakes
 */
async function refresh(folder: string): Promise<string | undefined> {
  try {
    const project = await readTypedProject(folder, { warn: printWarning });
    printWarnings(project.model);
    const file = await writeTypesFile(folder, project);
    if (file !== undefined) console.log(`wrote ${file}`);
    return typeof project.env.types === "string"
      ? Deno.realPathSync(`${folder.replace(/\/+$/, "")}/${project.env.types}`)
      : undefined;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return undefined;
  }
}

const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM"];

function isWatched(path: string): boolean {
  return WATCHED.test(path) && !IGNORED.test(path);
}

/** A project whose types are written. */
export interface TypedProject {
  readonly env: Environment;
  /** The model as it came from the compiler. */
  readonly model: Csn;
}

/**
 * Reads configuration and model of a project.
 *
 * @param folder the project
 * @param options what takes remarks of the compiler
 * @throws ConfigurationError for a wrong configuration or model
 */
async function readTypedProject(folder: string, options?: CompileOptions): Promise<TypedProject> {
  const { env } = readConfiguration(folder);
  return { env, model: await loadModel(findModelFiles(folder, env), options) };
}

/**
 * Writes the file if it says something else.
 *
 * @param folder the project
 * @param project its configuration and model
 * @returns the path of the file if it was written; undefined where the configuration names none, too
 * @throws ConfigurationError for a wrong configuration or model
 */
export async function writeTypesFile(
  folder: string,
  project?: TypedProject,
): Promise<string | undefined> {
  const { env, model } = project ?? await readTypedProject(folder);
  if (typeof env.types !== "string") return undefined;
  const file = `${folder.replace(/\/+$/, "")}/${env.types}`;
  const text = `${compile.to.types(model)}\n`;
  if (readTextIfExists(file) === text) return undefined;
  await writeText(file, text);
  return file;
}
