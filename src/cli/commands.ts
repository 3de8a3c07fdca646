/**
 * The table of commands.
 *
 * @module
 */

import type { Command } from "./parse_command.ts";

/** One command. */
export interface CommandEntry {
  /** What it does, in one line. */
  readonly about: string;
  /** Names of the options it takes. */
  readonly options: readonly string[];
  /** How many words it takes; default: one, mostly a folder. */
  readonly words?: number;
  /** Loads it: a server needs none of the others. */
  load(): Promise<LoadedCommand>;
}

/** A command with its code. */
export interface LoadedCommand {
  /** What `fw help <command>` prints: usage, options, examples. */
  readonly help: string;
  /** Runs it; gives the exit code. */
  run(command: Command): Promise<number>;
}

const SERVING = ["port", "profile"];

/** Commands by name. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  init: {
    about: "make a project that runs, in a folder (default: here); --force",
    options: ["force"],
    load: async () => {
      const { INIT_HELP: help, initCommand: run } = await import("./init_command.ts");
      return { help, run };
    },
  },
  add: {
    about:
      "add to a project: postgres, sqlite, nats, rabbitmq, redis, multitenancy, oidc, oauth2, openid, telemetry, docker, ...",
    options: ["dest", "issuer", "audience", "roles"],
    words: Infinity,
    load: async () => {
      const { ADD_HELP: help, addCommand: run } = await import("./add_command.ts");
      return { help, run };
    },
  },
  serve: {
    about: "serve the project in a folder (default: here); --port N, --workers N, --profile NAME",
    // "standby" is what fw watch says to the servers it starts, "worker" what fw serve says to its workers
    options: [...SERVING, "workers", "standby", "worker"],
    load: async () => {
      const { SERVE_HELP: help, serveCommand: run } = await import("./serve_command.ts");
      return { help, run };
    },
  },
  watch: {
    about: "like serve, and start again when a file of the project changes",
    options: SERVING,
    load: async () => {
      const { WATCH_HELP: help, watchCommand: run } = await import("./watch_command.ts");
      return { help, run };
    },
  },
  compile: {
    about: "print a model as csn, edmx, csdl, openapi, asyncapi, sql, types or security-descriptor: --to sql",
    options: ["to", "service", "odata-version", "dialect", "locale", "base", "dest"],
    words: Infinity,
    load: async () => {
      const { COMPILE_HELP: help, compileCommand: run } = await import("./compile_command.ts");
      return { help, run };
    },
  },
  deploy: {
    about: "bring the database to what the model says: --to sqlite:db.sqlite, --dry-run, --allow-loss",
    options: ["to", "dry-run", "allow-loss", "plan", "apply", "history", "online", "tenant", "profile"],
    load: async () => {
      const { DEPLOY_HELP: help, deployCommand: run } = await import("./deploy_command.ts");
      return { help, run };
    },
  },
  import: {
    about: "write the model of another service from its metadata: a file, or the URL of the service",
    options: ["name", "dest"],
    load: async () => {
      const { IMPORT_HELP: help, importCommand: run } = await import("./import_command.ts");
      return { help, run };
    },
  },
  build: {
    about: "write the compiled model, from which production starts; --server, --edge: all in one file",
    options: ["module", "server", "edge", "main", "with", "without", "load", "sbom", "profile"],
    load: async () => {
      const { BUILD_HELP: help, buildCommand: run } = await import("./build_command.ts");
      return { help, run };
    },
  },
  env: {
    about: "print the effective configuration, secrets masked; --profile NAME",
    options: ["profile"],
    load: async () => {
      const { ENV_HELP: help, envCommand: run } = await import("./env_command.ts");
      return { help, run };
    },
  },
  repl: {
    about: "start the project, and evaluate queries and calls that are typed",
    options: ["profile"],
    load: async () => {
      const { REPL_HELP: help, replCommand: run } = await import("./repl_command.ts");
      return { help, run };
    },
  },
  test: {
    about: "run the tests of the project, in the styles of jest, mocha and node:test",
    options: [],
    words: Infinity,
    load: async () => {
      const { TEST_HELP: help, testCommand: run } = await import("./test_command.ts");
      return { help, run };
    },
  },
  explain: {
    about: "tell why a URL or a CQL query is answered as it is: restrictions, SQL, plan of the database",
    options: ["user", "tenant", "json", "profile"],
    words: 2,
    load: async () => {
      const { EXPLAIN_HELP: help, explainCommand: run } = await import("./explain_command.ts");
      return { help, run };
    },
  },
  queue: {
    about: "list, show and replay messages that were given up",
    options: ["all", "tenant", "profile"],
    words: Infinity,
    load: async () => {
      const { QUEUE_HELP: help, queueCommand: run } = await import("./queue_command.ts");
      return { help, run };
    },
  },
  data: {
    about: "write rows of the database to files, and store rows of files: export, import",
    options: ["dest", "format", "upsert", "project", "to", "tenant", "profile"],
    words: Infinity,
    load: async () => {
      const { DATA_HELP: help, dataCommand: run } = await import("./data_command.ts");
      return { help, run };
    },
  },
  tenant: {
    about: "list, subscribe, upgrade and unsubscribe tenants",
    options: ["tenant", "jobs", "allow-loss", "keep-data", "profile"],
    words: Infinity,
    load: async () => {
      const { TENANT_HELP: help, tenantCommand: run } = await import("./tenant_command.ts");
      return { help, run };
    },
  },
  fmt: {
    about: "lay out models (.cds): indentation, blanks, empty lines; --check",
    options: ["check"],
    words: Infinity,
    load: async () => {
      const { FMT_HELP: help, fmtCommand: run } = await import("./fmt_command.ts");
      return { help, run };
    },
  },
  lsp: {
    about: "the language server, which editors start",
    options: ["stdio"],
    load: async () => {
      const { LSP_HELP: help, lspCommand: run } = await import("./lsp_command.ts");
      return { help, run };
    },
  },
  completions: {
    about: "print completions for a shell: bash, zsh or fish",
    options: [],
    load: async () => {
      const { COMPLETIONS_HELP: help, completionsCommand } = await import("./completions_command.ts");
      return { help, run: (command) => completionsCommand(command, COMMANDS) };
    },
  },
  token: {
    about: "fetch a token with a service key, or with the binding of a project",
    options: ["user", "password-stdin", "grant", "kind", "export", "pem"],
    words: Infinity,
    load: async () => {
      const { TOKEN_HELP: help, tokenCommand: run } = await import("./token_command.ts");
      return { help, run };
    },
  },
};
