/**
 * `fw watch [folder] [--port N]`: serves in a child process that starts again when a file changes.
 *
 * @module
 */

import type { Command } from "./parse_command.ts";

const WATCHED = /\.(cds|csn|json|ts|js|mjs|csv|properties|env)$/;
/** Editors write a file in several steps: changes within this time count as one. */
const SETTLE_MS = 150;

/** Watches until it is interrupted. */
export async function watchCommand({ words, options }: Command): Promise<number> {
  const folder = words[0] ?? Deno.cwd();
  let child = start(folder, options);
  const watcher = Deno.watchFs(folder, { recursive: true });
  const stop = () => {
    watcher.close();
    kill(child);
  };
  Deno.addSignalListener("SIGINT", stop);
  Deno.addSignalListener("SIGTERM", stop);
  let timer: ReturnType<typeof setTimeout> | undefined;
  for await (const event of watcher) {
    const changed = event.kind === "access" ? undefined : event.paths.find(isWatched);
    if (changed === undefined) continue;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      console.log(`\n${changed} changed, starting again`);
      kill(child);
      await child.status;
      child = start(folder, options);
    }, SETTLE_MS);
  }
  clearTimeout(timer);
  return (await child.status).code;
}

function isWatched(path: string): boolean {
  return WATCHED.test(path) && !/[/\\](node_modules|\.git|dist)[/\\]/.test(path);
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

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGTERM");
  } catch {
    // It has ended by itself: a wrong model stops the start, and the next change starts it again.
  }
}
