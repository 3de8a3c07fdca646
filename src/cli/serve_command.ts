/**
 * `fw serve [folder] [--port N] [--profile NAME]`
 *
 * @module
 */

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
  try {
    const port = options.port === undefined ? undefined : Number(options.port);
    const share = options.share === "begin" || options.share === "join" ? options.share : undefined;
    const server = await serveProject(words[0] ?? Deno.cwd(), { port, share });
    // fw watch holds the other end: where it was killed, nobody would end this server
    if (share !== undefined) void Deno.stdin.readable.pipeTo(new WritableStream()).then(server.stop);
    await server.finished;
    // what waits for the end of the input keeps the process
    if (share !== undefined) Deno.exit();
    return 0;
  } catch (error) {
    const reason = describeFailure(error) ?? shownError(error);
    console.error(`\n${highlighted("Cannot start:", "error")} ${redactText(reason)}`);
    return 1;
  }
}
