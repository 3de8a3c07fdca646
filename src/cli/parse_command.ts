/**
 * Words of the command line.
 *
 * @module
 */

/** A command with its words and options. */
export interface Command {
  readonly name: string;
  /** Words that are no options, after the name. */
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | true>>;
}

/** Options that take a value. */
const WITH_VALUE = new Set(["port", "profile"]);

/** Splits words into name, further words, and options of the forms `--name value`, `--name=value`, `--flag`. */
export function parseCommand(args: readonly string[]): Command {
  const words: string[] = [];
  const options: Record<string, string | true> = {};
  for (let i = 0; i < args.length; i++) {
    const match = /^--([^=]+)(?:=(.*))?$/.exec(args[i]);
    if (!match) words.push(args[i]);
    else if (match[2] !== undefined) options[match[1]] = match[2];
    else options[match[1]] = WITH_VALUE.has(match[1]) ? args[++i] ?? "" : true;
  }
  const [name = options.help ? "help" : "", ...rest] = words;
  return { name, words: rest, options };
}
