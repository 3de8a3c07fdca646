/**
 * `fw serve [folder] [--port N] [--profile NAME]`
 *
 * @module
 */

import { practiseStart } from "../deno/practise_start.ts";
import { serveProject } from "../deno/serve_project.ts";
import "../globals.ts";
import { redactText } from "../log/redact.ts";
import { describeFailure } from "./describe_mistakes.ts";
import { assertPort, type Command } from "./parse_command.ts";
import { highlighted, shownError } from "./terminal_text.ts";

/** What `fw help serve` prints. */
export const SERVE_HELP = `Usage: fw serve [folder] [options]

Serves the services of a project (default: of the working directory) until it is stopped.

  --port N         port; default: the variable PORT, else fw.server.port, else 4004; 0 takes a free one
  --profile NAME   whose configuration, instead of FW_ENV

FW_STACK=full shows the frames of the framework in stacks, too; FW_LOG_LEVELS_<COMPONENT>=debug what a component does.

Examples: fw serve
          fw serve my-shop --port 8080 --profile production`;

/** Serves a project until it is stopped. */
export async function serveCommand({ words, options }: Command): Promise<number> {
  assertPort(options);
  const folder = words[0] ?? Deno.cwd();
  const port = options.port === undefined ? undefined : Number(options.port);
  // what waits for the end of the input keeps the process
  if (options.standby === true) Deno.exit(await codeOf(() => standBy(folder)));
  return await codeOf(async () => await (await serveProject(folder, { port })).finished);
}

/** The exit code of a server; why it cannot start is told. */
async function codeOf(serve: () => Promise<void>): Promise<number> {
  try {
    await serve();
    return Number(Deno.exitCode);
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
  const share = order.trim() === "begin" ? "begin" : "join";
  const server = await serveProject(folder, { port: 0, hostname: "127.0.0.1", share });
  void (async () => {
    while (!(await orders.read()).done);
    await server.stop();
  })();
  await server.finished;
}
