/**
 * `fw watch [folder] [--port N]`: serves in a child process that starts again when a file changes.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { printWarning, printWarnings } from "./describe_mistakes.ts";
import { assertPort, type Command } from "./parse_command.ts";
import { configurationOptions } from "./project_configuration.ts";
import { projectRoot } from "../deno/project_root.ts";
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

  --port N         port; 0 takes a free one with each start
  --profile NAME   whose configuration, instead of FW_ENV

Examples: fw watch
          fw watch my-shop --port 8080`;

const WATCHED = /\.(cds|csn|json|ts|js|mjs|csv|properties|env)$/;
const IGNORED = /[/\\](node_modules|\.git|dist)[/\\]/;
/** Editors write a file in several steps: changes within this time count as one. */
const SETTLE_MS = 150;

/** Watches until it is interrupted. */
export async function watchCommand({ words, options }: Command): Promise<number> {
  assertPort(options);
  const folder = words[0] ?? Deno.cwd();
  let watcher: Deno.FsWatcher;
  try {
    watcher = Deno.watchFs(folder, { recursive: true });
  } catch (error) {
    console.error(`Cannot watch ${folder}: ${(error as Error).message}`);
    return 1;
  }
  let written = await refresh(folder);
  const server = new Restarting((share) => start(folder, { ...options, share }));
  const stop = () => watcher.close();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, stop);
  let timer: ReturnType<typeof setTimeout> | undefined;
  for await (const event of watcher) {
    const changed = event.kind === "access" ? undefined : event.paths.find(isWatched);
    if (changed === undefined || changed === written) continue;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      written = await refresh(folder) ?? written;
      server.restart(changed);
    }, SETTLE_MS);
  }
  clearTimeout(timer);
  for (const signal of SIGNALS) Deno.removeSignalListener(signal, stop);
  return await server.stop();
}

/** Prints remarks about the model and writes its types where the project wants them; the server tells mistakes. */
async function refresh(folder: string): Promise<string | undefined> {
  try {
    const project = await readTypedProject(folder, { warn: printWarning });
    printWarnings(project.model);
    const file = await writeTypesFile(folder, project);
    if (file === undefined) return undefined;
    console.log(`wrote ${file}`);
    return Deno.realPathSync(file);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return undefined;
  }
}

const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM"];

/** What a server says once it answers. */
const LISTENING = /server listening on /;

/** A server, and whether it came to answer. */
interface Child {
  readonly process: Deno.ChildProcess;
  /** False: it has ended before. */
  readonly listens: Promise<boolean>;
}

/** A child process that is replaced, one replacement after the other: the old one serves until the new one does. */
class Restarting {
  readonly #start: (share: "begin" | "join") => Deno.ChildProcess;
  #child: Child;
  #turn: Promise<void> = Promise.resolve();

  constructor(start: (share: "begin" | "join") => Deno.ChildProcess) {
    this.#start = start;
    this.#child = spawned(start("begin"));
  }

  restart(reason: string): void {
    this.#turn = this.#turn.then(async () => {
      console.log(`\n${reason} changed, starting again`);
      // one that has not come to listen does not do so any more
      const serves = await Promise.race([this.#child.listens, Promise.resolve(false)]);
      if (!serves) await end(this.#child);
      const next = spawned(this.#start(serves ? "join" : "begin"));
      if (serves && !await next.listens) {
        await next.process.status;
        console.log("The server that was there goes on serving");
        return;
      }
      if (serves) await end(this.#child);
      this.#child = next;
    });
  }

  /** Ends for good; gives the exit code. */
  async stop(): Promise<number> {
    await this.#turn;
    return await end(this.#child);
  }
}

/** Hands on what a server prints, and notes when it listens. */
function spawned(process: Deno.ChildProcess): Child {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  void (async () => {
    for await (const chunk of process.stdout) {
      Deno.stdout.writeSync(chunk);
      if (LISTENING.test(new TextDecoder().decode(chunk))) resolve(true);
    }
    resolve(false);
  })();
  return { process, listens: promise };
}

async function end({ process }: Child): Promise<number> {
  try {
    process.kill("SIGTERM");
  } catch {
    // it has ended by itself: a wrong model stops the start, and the next change starts it again
  }
  return (await process.status).code;
}

function isWatched(path: string): boolean {
  return WATCHED.test(path) && !IGNORED.test(path);
}

function start(folder: string, options: Command["options"]): Deno.ChildProcess {
  const flags = Object.entries(options).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${value}`
  );
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--unstable-net",
      ...configurationOptions(projectRoot(folder)),
      import.meta.resolve("./mod.ts"),
      "serve",
      folder,
      ...flags,
    ],
    // open as long as this process lives: a server ends with it
    stdin: "piped",
    stdout: "piped",
  }).spawn();
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
export async function readTypedProject(folder: string, options?: CompileOptions): Promise<TypedProject> {
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
