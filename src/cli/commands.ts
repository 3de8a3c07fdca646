/**
 * The table of commands.
 *
 * @module
 */

import { ADD_HELP, addCommand } from "./add_command.ts";
import { BUILD_HELP, buildCommand } from "./build_command.ts";
import { COMPILE_HELP, compileCommand } from "./compile_command.ts";
import { DEPLOY_HELP, deployCommand } from "./deploy_command.ts";
import { envCommand } from "./env_command.ts";
import { INIT_HELP, initCommand } from "./init_command.ts";
import type { Command } from "./parse_command.ts";
import { IMPORT_HELP, importCommand } from "./import_command.ts";
import { QUEUE_HELP, queueCommand } from "./queue_command.ts";
import { REPL_HELP, replCommand } from "./repl_command.ts";
import { serveCommand } from "./serve_command.ts";
import { TEST_HELP, testCommand } from "./test_command.ts";
import { TOKEN_HELP, tokenCommand } from "./token_command.ts";
import { watchCommand } from "./watch_command.ts";

/** One command. */
export interface CommandEntry {
  /** What it does, in one line. */
  readonly about: string;
  /** What `fw help <command>` prints; default: the line. */
  readonly help?: string;
  /** Names of the options it takes. */
  readonly options: readonly string[];
  /** How many words it takes; default: one, mostly a folder. */
  readonly words?: number;
  /** Runs it; gives the exit code. */
  run(command: Command): Promise<number>;
}

const SERVING = ["port", "profile"];

/** Commands by name. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  init: {
    about: "make a project that runs, in a folder (default: here); --force",
    help: INIT_HELP,
    options: ["force"],
    run: initCommand,
  },
  add: {
    about:
      "add to a project: postgres, sqlite, nats, rabbitmq, redis, multitenancy, oidc, oauth2, openid, docker, ...",
    help: ADD_HELP,
    options: ["dest", "issuer", "audience", "roles"],
    words: Infinity,
    run: addCommand,
  },
  serve: {
    about: "serve the project in a folder (default: here); --port N, --profile NAME",
    options: SERVING,
    run: serveCommand,
  },
  watch: {
    about: "like serve, and start again when a file of the project changes",
    options: SERVING,
    run: watchCommand,
  },
  compile: {
    about: "print a model as csn, edmx, csdl, openapi, asyncapi, sql, types or security-descriptor: --to sql",
    help: COMPILE_HELP,
    options: ["to", "service", "odata-version", "dialect", "locale", "base", "dest"],
    words: Infinity,
    run: compileCommand,
  },
  deploy: {
    about: "bring the database to what the model says: --to sqlite:db.sqlite, --dry-run, --allow-loss",
    help: DEPLOY_HELP,
    options: ["to", "dry-run", "allow-loss", "tenant", "profile"],
    run: deployCommand,
  },
  import: {
    about: "write the model of another service from its metadata: a file, or the URL of the service",
    help: IMPORT_HELP,
    options: ["name", "dest"],
    run: importCommand,
  },
  build: {
    about: "write the compiled model, from which production starts; --module: all as a module to bundle",
    help: BUILD_HELP,
    options: ["module", "profile"],
    run: buildCommand,
  },
  env: {
    about: "print the effective configuration, secrets masked; --profile NAME",
    options: ["profile"],
    run: envCommand,
  },
  repl: {
    about: "start the project, and evaluate queries and calls that are typed",
    help: REPL_HELP,
    options: ["profile"],
    run: replCommand,
  },
  test: {
    about: "run the tests of the project, in the styles of jest, mocha and node:test",
    help: TEST_HELP,
    options: [],
    words: Infinity,
    run: testCommand,
  },
  queue: {
    about: "list, show and replay messages that were given up",
    help: QUEUE_HELP,
    options: ["all", "tenant", "profile"],
    words: Infinity,
    run: queueCommand,
  },
  token: {
    about: "fetch a token with a service key, or with the binding of a project",
    help: TOKEN_HELP,
    options: ["user", "password-stdin", "grant", "kind", "export", "pem"],
    words: Infinity,
    run: (command) => tokenCommand(command),
  },
};
