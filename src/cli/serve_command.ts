/**
 * `fw serve [folder] [--port N] [--profile NAME]`
 *
 * @module
 */

import { serveProject } from "../deno/serve_project.ts";
import "../globals.ts";
import { redactText } from "../log/redact.ts";
import { describeFailure } from "./describe_mistakes.ts";
import { isWrongPort } from "./is_wrong_port.ts";
import type { Command } from "./parse_command.ts";

/** Serves a project until it is stopped. */
export async function serveCommand({ words, options }: Command): Promise<number> {
  if (isWrongPort(options)) return 2;
  try {
    const port = options.port === undefined ? undefined : Number(options.port);
    const server = await serveProject(words[0] ?? Deno.cwd(), { port });
    await server.finished;
    return 0;
  } catch (error) {
    const reason = describeFailure(error);
    if (reason === undefined) throw error;
    console.error(`\nCannot start: ${redactText(reason)}`);
    return 1;
  }
}
