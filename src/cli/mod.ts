/**
 * The command line: `deno run -A jsr:@fw/runtime/cli serve`.
 *
 * @module
 */

import { nearestName } from "../util/nearest_name.ts";
import { VERSION } from "../fw/version.ts";
import { redactText } from "../log/redact.ts";
import { type CommandEntry, COMMANDS } from "./commands.ts";
import { describeFailure } from "./describe_mistakes.ts";
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
  if (Object.hasOwn(COMMANDS, command.name)) return await run(COMMANDS[command.name], command);
  if (command.name === "version") {
    console.log(VERSION);
    return 0;
  }
  const asked = command.name === "help" ? command.words[0] ?? "" : command.name;
  if (asked === "" || (command.name === "help" && Object.hasOwn(COMMANDS, asked))) {
    console.log(usage(asked));
    return command.name === "" ? 2 : 0;
  }
  const nearest = nearestName(asked, Object.keys(COMMANDS));
  console.error(`Unknown command "${asked}"${nearest ? `; did you mean "${nearest}"?` : ""}\n\n${usage()}`);
  return 2;
}

/** Runs a command that is known; mistakes of the project are told without a stack. */
async function run(entry: CommandEntry, command: Command): Promise<number> {
  const { name, words, options } = command;
  const most = entry.words ?? 1;
  const foreign = Object.keys(options).find((name) => !entry.options.includes(name));
  const mistake = foreign !== undefined
    ? `takes no option "--${foreign}"`
    : words.length > most
    ? `takes one argument, but found ${words.map((word) => `"${word}"`).join(", ")}`
    : undefined;
  if (mistake !== undefined) {
    console.error(`fw ${name} ${mistake}\n\n${usage(name)}`);
    return 2;
  }
  if (typeof options.profile === "string") Deno.env.set("FW_ENV", options.profile);
  try {
    return await entry.run(command);
  } catch (error) {
    const reason = describeFailure(error);
    if (reason === undefined) throw error;
    console.error(redactText(reason));
    return 1;
  }
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
