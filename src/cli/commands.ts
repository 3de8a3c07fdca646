/**
 * The table of commands.
 *
 * @module
 */

import { ADD_HELP, addCommand } from "./add_command.ts";
import { BUILD_HELP, buildCommand } from "./build_command.ts";
import { COMPILE_HELP, compileCommand } from "./compile_command.ts";
import { DATA_HELP, dataCommand } from "./data_command.ts";
import { DEPLOY_HELP, deployCommand } from "./deploy_command.ts";
import { COMPLETIONS_HELP, completionsCommand } from "./completions_command.ts";
import { ENV_HELP, envCommand } from "./env_command.ts";
import { EXPLAIN_HELP, explainCommand } from "./explain_command.ts";
import { FMT_HELP, fmtCommand } from "./fmt_command.ts";
import { INIT_HELP, initCommand } from "./init_command.ts";
import type { Command } from "./parse_command.ts";
import { IMPORT_HELP, importCommand } from "./import_command.ts";
import { QUEUE_HELP, queueCommand } from "./queue_command.ts";
import { REPL_HELP, replCommand } from "./repl_command.ts";
import { SERVE_HELP, serveCommand } from "./serve_command.ts";
import { TENANT_HELP, tenantCommand } from "./tenant_command.ts";
import { TEST_HELP, testCommand } from "./test_command.ts";
import { TOKEN_HELP, tokenCommand } from "./token_command.ts";
import { WATCH_HELP, watchCommand } from "./watch_command.ts";

/** What `fw help lsp` prints. */
const LSP_HELP = `Usage: fw lsp [folder]

The language server for models (.cds): diagnostics, completion, hover, definition, references, rename, format, outline,
quick fixes. Editors start it and speak LSP with it over standard input and output; "docs/vscode" does so.

Example: fw lsp my-shop`;

/** One command. */
export interface CommandEntry {
  /** What it does, in one line. */
  readonly about: string;
  /** What `fw help <command>` prints: usage, options, examples. */
  readonly help: string;
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
      "add to a project: postgres, sqlite, nats, rabbitmq, redis, multitenancy, oidc, oauth2, openid, telemetry, docker, ...",
    help: ADD_HELP,
    options: ["dest", "issuer", "audience", "roles"],
    words: Infinity,
    run: addCommand,
  },
  serve: {
    about: "serve the project in a folder (default: here); --port N, --profile NAME",
    help: SERVE_HELP,
    // "share" is what fw watch says to the servers it starts
    options: [...SERVING, "share"],
    run: serveCommand,
  },
  watch: {
    about: "like serve, and start again when a file of the project changes",
    help: WATCH_HELP,
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
    options: ["to", "dry-run", "allow-loss", "plan", "apply", "history", "online", "tenant", "profile"],
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
    options: ["module", "sbom", "profile"],
    run: buildCommand,
  },
  env: {
    about: "print the effective configuration, secrets masked; --profile NAME",
    help: ENV_HELP,
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
  explain: {
    about: "tell why a URL or a CQL query is answered as it is: restrictions, SQL, plan of the database",
    help: EXPLAIN_HELP,
    options: ["user", "json", "profile"],
    words: 2,
    run: explainCommand,
  },
  queue: {
    about: "list, show and replay messages that were given up",
    help: QUEUE_HELP,
    options: ["all", "tenant", "profile"],
    words: Infinity,
    run: queueCommand,
  },
  data: {
    about: "write rows of the database to files, and store rows of files: export, import",
    help: DATA_HELP,
    options: ["dest", "format", "upsert", "project", "to", "tenant", "profile"],
    words: Infinity,
    run: dataCommand,
  },
  tenant: {
    about: "list, subscribe, upgrade and unsubscribe tenants",
    help: TENANT_HELP,
    options: ["tenant", "jobs", "allow-loss", "keep-data", "profile"],
    words: Infinity,
    run: tenantCommand,
  },
  fmt: {
    about: "lay out models (.cds): indentation, blanks, empty lines; --check",
    help: FMT_HELP,
    options: ["check"],
    words: Infinity,
    run: fmtCommand,
  },
  lsp: {
    about: "the language server, which editors start",
    help: LSP_HELP,
    options: [],
    // it brings the compiler, which a server over a compiled model does not load
    run: async (command) => await (await import("./lsp_command.ts")).lspCommand(command),
  },
  completions: {
    about: "print completions for a shell: bash, zsh or fish",
    help: COMPLETIONS_HELP,
    options: [],
    run: (command) => completionsCommand(command, COMMANDS),
  },
  token: {
    about: "fetch a token with a service key, or with the binding of a project",
    help: TOKEN_HELP,
    options: ["user", "password-stdin", "grant", "kind", "export", "pem"],
    words: Infinity,
    run: (command) => tokenCommand(command),
  },
};
