/**
 * `fw watch [folder] [--port N]`: serves in a child process that starts again when a file changes.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { printWarning, printWarnings } from "./print_warnings.ts";
import { readTypedProject, writeTypesFile } from "./write_types_file.ts";
import { isWrongPort } from "./is_wrong_port.ts";
import type { Command } from "./parse_command.ts";

const WATCHED = /\.(cds|csn|json|ts|js|mjs|csv|properties|env)$/;
const IGNORED = /[/\\](node_modules|\.git|dist)[/\\]/;
/** Editors write a file in several steps: changes within this time count as one. */
const SETTLE_MS = 150;

/** Watches until it is interrupted. */
export async function watchCommand({ words, options }: Command): Promise<number> {
  if (isWrongPort(options)) return 2;
  const folder = words[0] ?? Deno.cwd();
  let watcher: Deno.FsWatcher;
  try {
    watcher = Deno.watchFs(folder, { recursive: true });
  } catch (error) {
    console.error(`Cannot watch ${folder}: ${(error as Error).message}`);
    return 1;
  }
  let written = await refresh(folder);
  const server = new Restarting(() => start(folder, options));
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

/** A child process that is replaced; one replacement after the other. */
class Restarting {
  readonly #start: () => Deno.ChildProcess;
  #child: Deno.ChildProcess;
  #turn: Promise<void> = Promise.resolve();

  constructor(start: () => Deno.ChildProcess) {
    this.#start = start;
    this.#child = start();
  }

  restart(reason: string): void {
    this.#turn = this.#turn.then(async () => {
      console.log(`\n${reason} changed, starting again`);
      await this.#end();
      this.#child = this.#start();
    });
  }

  /** Ends for good; gives the exit code. */
  async stop(): Promise<number> {
    await this.#turn;
    return await this.#end();
  }

  async #end(): Promise<number> {
    try {
      this.#child.kill("SIGTERM");
    } catch {
      // it has ended by itself: a wrong model stops the start, and the next change starts it again
    }
    return (await this.#child.status).code;
  }
}

function isWatched(path: string): boolean {
  return WATCHED.test(path) && !IGNORED.test(path);
}

function start(folder: string, options: Command["options"]): Deno.ChildProcess {
  const flags = Object.entries(options).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${value}`
  );
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", import.meta.resolve("./mod.ts"), "serve", folder, ...flags],
    stdin: "null",
  }).spawn();
}
