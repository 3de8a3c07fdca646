/**
 * `fw repl [folder]`: the read-eval-print loop of Deno, in the process of a project.
 *
 * @module
 */

import { projectRoot } from "../deno/project_root.ts";
import { configurationOptions } from "./project_configuration.ts";
import type { Command } from "./parse_command.ts";

/** What `fw help repl` prints. */
export const REPL_HELP = `Usage: fw repl [folder] [--profile NAME]

Starts a project without listening, and evaluates what is typed or comes on standard input: TypeScript with await.

  fw                                    the facade: fw.services, fw.entities, fw.env, fw.tx
  SELECT INSERT UPSERT UPDATE DELETE    queries on the database: await SELECT.from("shop.Books").limit(3)
  CatalogService, ...                   the services by their local names: await CatalogService.read("Books")

Calls are those of a privileged user. It ends with Ctrl+D.

Examples: fw repl
          echo "await SELECT.from('shop.Books').limit(3)" | fw repl my-shop`;

/** Code of a loop whose input ended before its last line was evaluated. */
export const INCOMPLETE = 65;

const LINE_FEED = 10;

/** The input and a last line, which ends the loop unless it belongs to an expression that has no end. */
function withEnd(input: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let last: number | undefined = LINE_FEED;
  return input.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(part, out) {
        last = part.at(-1);
        out.enqueue(part);
      },
      flush(out) {
        out.enqueue(new TextEncoder().encode(`${last === LINE_FEED ? "" : "\n"}Deno.exit()\n`));
      },
    }),
  );
}

/** Starts the loop; it is a process of its own, so that its input is that of the terminal. */
export async function replCommand({ words: [folder = Deno.cwd()] }: Command): Promise<number> {
  const start = `await (await import(${JSON.stringify(import.meta.resolve("./start_repl.ts"))})).startRepl(${
    JSON.stringify(folder)
  })`;
  // the loop clears its line at Ctrl+C
  const ignore = () => {};
  Deno.addSignalListener("SIGINT", ignore);
  try {
    const isTyped = Deno.stdin.isTerminal();
    const loop = new Deno.Command(Deno.execPath(), {
      args: ["repl", "--quiet", "-A", ...configurationOptions(projectRoot(folder)), `--eval=${start}`],
      env: Deno.stdout.isTerminal() ? {} : { NO_COLOR: "1" },
      stdin: isTyped ? "inherit" : "piped",
    }).spawn();
    // a loop that ends before its input breaks the pipe
    if (!isTyped) await withEnd(Deno.stdin.readable).pipeTo(loop.stdin).catch(() => {});
    const { code } = await loop.status;
    if (isTyped || code !== INCOMPLETE) return code;
    console.error("The input ends in the middle of an expression, which was not evaluated");
    return 1;
  } finally {
    Deno.removeSignalListener("SIGINT", ignore);
  }
}
