/**
 * The command line: `deno run -A jsr:@fw/runtime/cli serve`.
 *
 * @module
 */

import { projectPlace } from "../fw/project_place.ts";
import { VERSION } from "../fw/version.ts";
import { redactText } from "../log/redact.ts";
import { type CommandEntry, COMMANDS } from "./commands.ts";
import { describeFailure } from "./describe_mistakes.ts";
import { type Command, parseCommand, unknownWord, UsageError } from "./parse_command.ts";
import { highlighted, shownError } from "./terminal_text.ts";

/**
 * Runs a command.
 *
 * @param args the words after `fw`
 * @returns the exit code
 */
export async function main(args: readonly string[]): Promise<number> {
  try {
    return await runWords(parseCommand(args));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const [name = ""] = args;
    const more = Object.hasOwn(COMMANDS, name) ? `fw help ${name}` : "fw help";
    console.error(`${highlighted(error.message, "error")} (${more})`);
    return 2;
  }
}

async function runWords(command: Command): Promise<number> {
  if (Object.hasOwn(COMMANDS, command.name)) return await run(COMMANDS[command.name], command);
  if (command.name === "version") {
    console.log(VERSION);
    return 0;
  }
  const asked = command.name === "help" ? command.words[0] ?? "" : command.name;
  if (asked !== "" && (command.name !== "help" || !Object.hasOwn(COMMANDS, asked))) {
    throw unknownWord("command", asked, Object.keys(COMMANDS));
  }
  console.log(await usage(asked));
  return command.name === "" ? 2 : 0;
}

/** Runs a command that is known; mistakes of the project are told without a stack. */
async function run(entry: CommandEntry, command: Command): Promise<number> {
  const { name, words, options } = command;
  const most = entry.words ?? 1;
  const foreign = Object.keys(options).find((name) => !entry.options.includes(name));
  if (foreign !== undefined) {
    const takes = entry.options.map((one) => `--${one}`).join(", ") || "none";
    throw new UsageError(`fw ${name} takes no option "--${foreign}", but ${takes}`);
  }
  if (words.length > most) {
    throw new UsageError(
      `fw ${name} takes ${most === 1 ? "one argument" : `${most} arguments`}, but found ` +
        `${words.map((word) => `"${word}"`).join(", ")}: what has blanks stands in quotes`,
    );
  }
  if (typeof options.profile === "string") Deno.env.set("FW_ENV", options.profile);
  projectPlace.cli = { command: name === "watch" ? "serve" : name, argv: words, options };
  try {
    return await (await entry.load()).run(command);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    console.error(redactText(describeFailure(error) ?? shownError(error)));
    return 1;
  }
}

/** How a command is used; without a name that is known, all of them. */
async function usage(name = ""): Promise<string> {
  if (Object.hasOwn(COMMANDS, name)) {
    return (await COMMANDS[name].load()).help;
  }
  const lines = Object.entries(COMMANDS).map(([name, { about }]) => `  fw ${name.padEnd(13)}${about}`);
  return [
    "Usage: fw <command> [folder] [options]",
    "",
    ...lines,
    "",
    "fw help <command> has usage and examples.",
  ].join("\n");
}

if (import.meta.main) Deno.exitCode = await main(Deno.args);
