/**
 * The command line: `deno run -A jsr:@fw/runtime/cli serve`.
 *
 * @module
 */

import { nearestName } from "../util/nearest_name.ts";
import { type Command, parseCommand } from "./parse_command.ts";
import { buildCommand } from "./build_command.ts";
import { compileCommand } from "./compile_command.ts";
import { envCommand } from "./env_command.ts";
import { serveCommand } from "./serve_command.ts";
import { watchCommand } from "./watch_command.ts";

/** Commands by name: what they do, and what runs them. */
const COMMANDS: Readonly<Record<string, { about: string; run(command: Command): Promise<number> }>> = {
  serve: { about: "serve the project in a folder (default: here); --port N", run: serveCommand },
  watch: { about: "like serve, and start again when a file of the project changes", run: watchCommand },
  compile: {
    about: "print a model as csn, edmx, edm, asyncapi or sql: --to sql, --service NAME",
    run: compileCommand,
  },
  build: { about: "write the compiled model, from which production starts", run: buildCommand },
  env: { about: "print the effective configuration, secrets masked", run: envCommand },
};

/**
 * Runs a command.
 *
 * @param args the words after `fw`
 * @returns the exit code
 */
export async function main(args: readonly string[]): Promise<number> {
  let command: Command;
  try {
    command = parseCommand(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage()}`);
    return 2;
  }
  const known = Object.hasOwn(COMMANDS, command.name) ? COMMANDS[command.name] : undefined;
  if (known) return await known.run(command);
  if (command.name === "help" || command.name === "") {
    console.log(usage());
    return command.name === "" ? 2 : 0;
  }
  const nearest = nearestName(command.name, Object.keys(COMMANDS));
  console.error(
    `Unknown command "${command.name}"${nearest ? `; did you mean "${nearest}"?` : ""}\n\n${usage()}`,
  );
  return 2;
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(([name, { about }]) => `  fw ${name.padEnd(9)}${about}`);
  return ["Usage: fw <command> [folder] [options]", "", ...lines].join("\n");
}

if (import.meta.main) Deno.exitCode = await main(Deno.args);
