/**
 * Words of the command line.
 *
 * @module
 */

import { nearestName } from "../util/nearest_name.ts";

/** A command with its words and options. */
export interface Command {
  /** The first word; empty if there is none. */
  readonly name: string;
  /** Words that are no options, after the name. */
  readonly words: readonly string[];
  /** Options by name. */
  readonly options: Readonly<Record<string, string | true>>;
}

/** Options, and whether they take a value. */
const OPTIONS: Readonly<Record<string, boolean>> = {
  port: true,
  profile: true,
  to: true,
  service: true,
  base: true,
  dialect: true,
  "odata-version": true,
  name: true,
  dest: true,
  force: false,
  locale: true,
  user: true,
  "password-stdin": false,
  kind: true,
  grant: true,
  export: false,
  pem: true,
  all: false,
  "dry-run": false,
  "allow-loss": false,
  tenant: true,
  help: false,
};

/**
 * Splits words into name, further words, and options of the forms `--name value`, `--name=value`, `--flag`.
 *
 * @param args the words after `fw`
 * @throws TypeError for an unknown option, or one whose value is missing
 */
export function parseCommand(args: readonly string[]): Command {
  const words: string[] = [];
  const options: Record<string, string | true> = {};
  for (let i = 0; i < args.length; i++) {
    const match = /^--([^=]+)(?:=(.*))?$/.exec(args[i]);
    if (!match) words.push(args[i]);
    else if (!takesValue(match[1])) options[match[1]] = true;
    else options[match[1]] = valueOf(match[1], match[2] ?? args[++i]);
  }
  const [name = "", ...rest] = words;
  return options.help ? { name: "help", words: [name, ...rest], options } : { name, words: rest, options };
}

function takesValue(name: string): boolean {
  if (Object.hasOwn(OPTIONS, name)) return OPTIONS[name];
  const nearest = nearestName(name, Object.keys(OPTIONS));
  throw new TypeError(`Unknown option "--${name}"${nearest ? `; did you mean "--${nearest}"?` : ""}`);
}

function valueOf(name: string, value: string | undefined): string {
  if (value) return value;
  throw new TypeError(`Expected a value after --${name}`);
}
