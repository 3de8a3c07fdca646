/**
 * Arguments of tasks.
 *
 * @module
 */

import { nearestName } from "../src/util/nearest_name.ts";

/** Options and other words of a command line. */
export interface ParsedArgs {
  readonly options: Readonly<Record<string, string | true>>;
  readonly rest: readonly string[];
}

/** Options of a usage: `[--name VALUE]` takes a value, `[--name]` is a flag. */
const OPTION = /--([a-z]+)( [A-Z])?/g;

/**
 * The arguments of this process. `--help` ends it with the usage; an option that the usage does not name ends it with a line
 * that says so, and exit code 2.
 *
 * @param usage the command line with all options: `deno task mutate [--sample N] [--json]`
 */
export function taskArgs(usage: string): ParsedArgs {
  if (Deno.args.includes("--help")) {
    console.log(`Usage: ${usage}`);
    Deno.exit(0);
  }
  try {
    return parseArgs(Deno.args, usage);
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(2);
  }
}

/**
 * Reads `--name value`, `--name=value` and flags; a leading `--`, which `deno task x -- --y` hands on, is dropped.
 *
 * @param args the words
 * @param usage the command line with all options
 * @throws TypeError an option is unknown, has no value, or one too many
 */
export function parseArgs(args: readonly string[], usage: string): ParsedArgs {
  const takesValue = new Map(
    Array.from(usage.matchAll(OPTION), ([, name, value]) => [name!, value !== undefined]),
  );
  const words = args[0] === "--" ? args.slice(1) : [...args];
  const options: Record<string, string | true> = {};
  const rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const match = /^--([^=]+)(?:=(.*))?$/.exec(words[i]!);
    if (!match) {
      rest.push(words[i]!);
      continue;
    }
    const name = match[1]!;
    const isValued = takesValue.get(name);
    if (isValued === undefined) throw new TypeError(unknownOption(name, [...takesValue.keys()]));
    const value = match[2] ?? (isValued ? words[++i] : true);
    if (isValued !== (typeof value === "string")) {
      throw new TypeError(`--${name} takes ${isValued ? "a" : "no"} value`);
    }
    options[name] = value;
  }
  return { options, rest };
}

function unknownOption(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  const hint = near === undefined ? "" : `, did you mean --${near}?`;
  return `There is no option --${name}, expected ${known.map((one) => `--${one}`).join(", ")}${hint}`;
}
