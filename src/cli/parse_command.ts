/**
 * Words of the command line.
 *
 * @module
 */

import { nearestName } from "../util/nearest_name.ts";

/** Words that a command does not take: told in one line, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Words that other tools have for ours. */
const OTHER_TOOLS: Readonly<Record<string, string>> = {
  ...{
    start: "serve",
    run: "serve",
    up: "serve",
    dev: "watch",
    develop: "watch",
    new: "init",
    create: "init",
  },
  ...{ migrate: "deploy", push: "deploy", bundle: "build", format: "fmt", shell: "repl", console: "repl" },
  ...{
    config: "env",
    install: "add",
    plan: "explain",
    check: "compile",
    validate: "compile",
    lint: "compile",
  },
};

/**
 * A word that is none of those expected, or missing.
 *
 * @param what of a kind: `command`
 * @param word what was found
 * @param known what is expected
 */
export function unknownWord(what: string, word: string, known: readonly string[]): UsageError {
  if (word === "") return new UsageError(`Expected a word: one of ${known.join(", ")}`);
  const meant = Object.hasOwn(OTHER_TOOLS, word) ? OTHER_TOOLS[word]! : "";
  const nearest = known.includes(meant) ? meant : nearestName(word, known);
  const hint = nearest === undefined
    ? `: expected one of ${known.join(", ")}`
    : `; did you mean "${nearest}"?`;
  return new UsageError(`Unknown ${what} "${word}"${hint}`);
}

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
  standby: false,
  workers: true,
  worker: true,
  to: true,
  service: true,
  base: true,
  dialect: true,
  "odata-version": true,
  name: true,
  dest: true,
  force: false,
  module: false,
  server: false,
  edge: false,
  main: true,
  with: true,
  without: true,
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
  check: false,
  json: false,
  load: false,
  sbom: false,
  online: false,
  format: true,
  project: true,
  upsert: false,
  plan: true,
  apply: true,
  history: false,
  jobs: true,
  "keep-data": false,
  tenant: true,
  issuer: true,
  audience: true,
  roles: true,
  // what editors say to any language server
  stdio: false,
  help: false,
  version: false,
};

/** Short forms. */
const SHORT: Readonly<Record<string, string>> = { "-h": "--help", "-v": "--version", "-V": "--version" };

/**
 * Splits words into name, further words, and options of the forms `--name value`, `--name=value`, `--flag`. A lone `--`,
 * which stands in front of options in calls of tasks, says nothing.
 *
 * @param args the words after `fw`
 * @throws UsageError for an unknown option, one whose value is missing, and a flag with a value
 */
export function parseCommand(args: readonly string[]): Command {
  const words: string[] = [];
  const options: Record<string, string | true> = {};
  for (let i = 0; i < args.length; i++) {
    const arg = SHORT[args[i]] ?? args[i];
    const match = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(arg);
    if (arg === "--") continue;
    if (!match) words.push(arg);
    else if (arg.startsWith("--") && takesValue(match[1])) {
      options[match[1]] = valueOf(match[1], match[2] ?? followingValue(args[++i]));
    } else if (!arg.startsWith("--")) throw new UsageError(`Unknown option "${arg}"`);
    else if (match[2] !== undefined) throw new UsageError(`The option "--${match[1]}" takes no value`);
    else options[match[1]] = true;
  }
  const [name = "", ...rest] = words;
  if (options.help) return { name: "help", words, options };
  if (options.version) return { name: "version", words, options };
  return { name, words: rest, options };
}

/** What looks like an option is none of the values that stand in a word of their own. */
function followingValue(word: string | undefined): string | undefined {
  return word?.startsWith("--") ? undefined : word;
}

function takesValue(name: string): boolean {
  if (Object.hasOwn(OPTIONS, name)) return OPTIONS[name];
  const nearest = nearestName(name, Object.keys(OPTIONS));
  throw new UsageError(`Unknown option "--${name}"${nearest ? `; did you mean "--${nearest}"?` : ""}`);
}

function valueOf(name: string, value: string | undefined): string {
  if (value) return value;
  throw new UsageError(`Expected a value after --${name}`);
}

/**
 * Refuses a `--port` that is no number of a port.
 *
 * @param options the options of a command
 * @throws UsageError
 */
export function assertPort({ port }: Command["options"]): void {
  if (port === undefined) return;
  const number = Number(port);
  if (Number.isInteger(number) && number >= 0 && number < 65536) return;
  throw new UsageError(`Expected a port number after --port, but found "${port}"`);
}
