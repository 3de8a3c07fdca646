/**
 * Arguments of tasks.
 *
 * @module
 */

/** Options and other words of a command line. */
export interface ParsedArgs {
  readonly options: Readonly<Record<string, string | true>>;
  readonly rest: readonly string[];
}

/**
 * Reads `--name value`, `--name=value` and flags; a leading `--`, which `deno task x -- --y` hands on, is dropped.
 *
 * @param args the words
 * @param withValue names of options that take a value
 */
export function parseArgs(args: readonly string[], withValue: readonly string[]): ParsedArgs {
  const words = args[0] === "--" ? args.slice(1) : [...args];
  const options: Record<string, string | true> = {};
  const rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const match = /^--([^=]+)(?:=(.*))?$/.exec(words[i]);
    if (!match) rest.push(words[i]);
    else if (match[2] !== undefined) options[match[1]] = match[2];
    else options[match[1]] = withValue.includes(match[1]) ? words[++i] ?? "" : true;
  }
  return { options, rest };
}
