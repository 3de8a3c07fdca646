/**
 * `fw serve [folder] [--port N] [--workers N] [--profile NAME]`
 *
 * @module
 */

import { practiseStart } from "../deno/practise_start.ts";
import { type RunningServer, serveProject } from "../deno/serve_project.ts";
import "../globals.ts";
import { redactText } from "../log/redact.ts";
import { describeFailure } from "./describe_mistakes.ts";
import { assertPort, type Command, UsageError } from "./parse_command.ts";
import { highlighted, shownError } from "./terminal_text.ts";
import { reportToStarter } from "./worker_process.ts";
import { serveByWorkers } from "./worker_processes.ts";

/** What `fw help serve` prints. */
export const SERVE_HELP = `Usage: fw serve [folder] [options]

Serves the services of a project (default: of the working directory) until it is stopped.

  --port N         port; default: the variable PORT, else fw.server.port, else 4004; 0 takes a free one
  --workers N      serves by N processes at that port, for as many processors, and starts again those that end; they need
                   PostgreSQL or a file of SQLite (on Linux)
  --profile NAME   whose configuration, instead of FW_ENV

FW_STACK=full shows the frames of the framework in stacks, too; FW_LOG_LEVELS_<COMPONENT>=debug what a component does.

Examples: fw serve
          fw serve my-shop --port 8080 --profile production
          fw serve --workers 4`;

/** More processes than any machine has room for. */
const MOST_WORKERS = 256;

/** Serves a project until it is stopped. */
export async function serveCommand({ words, options }: Command): Promise<number> {
  assertPort(options);
  const folder = words[0] ?? Deno.cwd();
  const port = options.port === undefined ? undefined : Number(options.port);
  // what waits for the end of the input keeps the process
  if (options.standby === true) Deno.exit(await codeOf(() => standBy(folder)));
  if (typeof options.worker === "string") {
    Deno.exit(await codeOf(() => work(folder, port, options.worker as string)));
  }
  if (options.workers !== undefined) {
    const count = workersOf(options.workers);
    return await codeOf(() => serveByWorkers({ folder, port, count }));
  }
  return await codeOf(async () => await (await serveProject(folder, { port })).finished);
}

function workersOf(given: string | true): number {
  const count = /^\d{1,3}$/.test(String(given)) ? Number(given) : NaN;
  if (!(count >= 1 && count <= MOST_WORKERS)) {
    throw new UsageError(`Expected a number from 1 to ${MOST_WORKERS} as --workers, but found "${given}"`);
  }
  if (Deno.build.os !== "linux") {
    throw new UsageError(`--workers needs Linux, which spreads the connections of a port over processes`);
  }
  return count;
}

/** The exit code of a server; why it cannot start is told. */
async function codeOf(serve: () => Promise<number | void>): Promise<number> {
  try {
    return await serve() ?? Number(Deno.exitCode);
  } catch (error) {
    const reason = describeFailure(error) ?? shownError(error);
    console.error(`\n${highlighted("Cannot start:", "error")} ${redactText(reason)}`);
    return 1;
  }
}

/**
 * Serves once it is told to by a line of `fw watch`, which holds the other end: with everything loaded and practised before.
 * Where `fw watch` was killed, nobody else would end this process.
 */
async function standBy(folder: string): Promise<void> {
  const orders = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).getReader();
  let isUrgent = false;
  const ordered = orders.read().then((order) => {
    isUrgent = true;
    return order;
  });
  await practiseStart(folder, () => isUrgent);
  const { value: order, done } = await ordered;
  if (done) return;
  const server = await serveProject(folder, { port: 0, hostname: "127.0.0.1", share: shareOf(order.trim()) });
  await untilEnd(server, orders);
}

/** Serves as one of several workers, until the process that has started it ends its input, or is killed. */
async function work(folder: string, port: number | undefined, place: string): Promise<void> {
  const server = await serveProject(folder, {
    port,
    share: shareOf(place),
    listening: reportToStarter,
  });
  await untilEnd(server, Deno.stdin.readable.getReader());
}

function shareOf(word: string): "begin" | "join" {
  return word === "begin" ? "begin" : "join";
}

async function untilEnd(server: RunningServer, input: ReadableStreamDefaultReader<unknown>): Promise<void> {
  void (async () => {
    while (!(await input.read()).done);
    await server.stop();
  })();
  await server.finished;
}
