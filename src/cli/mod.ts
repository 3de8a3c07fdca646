/**
 * The command line: `deno run -A jsr:@fw/runtime/cli serve`.
 *
 * @module
 */

import { nearestName } from "../util/nearest_name.ts";
import { COMMANDS } from "./commands.ts";
import { type Command, parseCommand } from "./parse_command.ts";

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
  if (known) {
    const foreign = Object.keys(command.options).find((name) => !known.options.includes(name));
    if (foreign === undefined) {
      const { profile } = command.options;
      if (typeof profile === "string") Deno.env.set("FW_ENV", profile);
      return await known.run(command);
    }
    console.error(`fw ${command.name} takes no option "--${foreign}"\n\n${usage(command.name)}`);
    return 2;
  }
  if (command.name === "help" || command.name === "") {
    console.log(usage(command.words[0]));
    return command.name === "" ? 2 : 0;
  }
  const nearest = nearestName(command.name, Object.keys(COMMANDS));
  console.error(
    `Unknown command "${command.name}"${nearest ? `; did you mean "${nearest}"?` : ""}\n\n${usage()}`,
  );
  return 2;
}

/** How a command is used; without a name that is known, all of them. */
function usage(name = ""): string {
  if (Object.hasOwn(COMMANDS, name)) {
    const { about, help } = COMMANDS[name];
    return help ?? `fw ${name}: ${about}`;
  }
  const lines = Object.entries(COMMANDS).map(([name, { about }]) => `  fw ${name.padEnd(9)}${about}`);
  return ["Usage: fw <command> [folder] [options]", "", ...lines].join("\n");
}

if (import.meta.main) Deno.exitCode = await main(Deno.args);
