/**
 * The table of all kinds a server process has.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { CompileSource, Kinds } from "../fw/kinds.ts";
import { holdingBytes } from "../util/bytes.ts";
import { nodeModule } from "../platform/node_module.ts";
import { andThen } from "../util/maybe_promise.ts";
import { type Compiler, loadCompiler, loadModel, readModelWith } from "./load_model.ts";
import { loadModuleFile } from "./require_module.ts";
import { createDenoSender } from "./send_request.ts";
import { terminalStyle } from "./terminal_style.ts";
import { answerFile, staticFiles } from "./static_files.ts";
import type { ChannelFactory } from "../messaging/channel.ts";
import type { DatabaseFactory, DatabaseOptions } from "../service/database.ts";

/** Kinds for Deno: engines and channels beside those that run everywhere. */
export const denoKinds: Kinds = {
  databases: {
    postgres: async () => (await import("../db/postgres/postgres_database.ts")).createPostgresDatabase,
    sqlite: async () => (await import("../db/sqlite/sqlite_database.ts")).createSqliteDatabase,
  },
  channels: {
    "file-based-messaging": async () => (await import("../messaging/file/file_channel.ts")).createFileChannel,
    "http-messaging": async () => (await import("../messaging/http/http_channel.ts")).createHttpChannel,
    "nats-messaging": async () =>
      (await import("../messaging/brokers/nats/nats_channel.ts")).createNatsChannel,
    "rabbitmq-messaging": async () =>
      (await import("../messaging/brokers/rabbitmq/rabbit_channel.ts")).createRabbitChannel,
    "redis-messaging": async () =>
      (await import("../messaging/brokers/redis/redis_channel.ts")).createRedisChannel,
    "enterprise-messaging": async () =>
      (await import("../messaging/brokers/amqp/amqp_channel.ts")).createAmqpChannel,
  },
  protocols: {
    hcql: async () => (await import("../hcql/hcql_adapter.ts")).createHcqlAdapter,
    mcp: async () => (await import("../mcp/mcp_adapter.ts")).createMcpAdapter,
  },
  binaries: {
    bytes: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    stream: (bytes) =>
      holdingBytes(nodeModule("node:stream").Readable.from([bytes], { objectMode: false }), bytes),
  },
  fetch: createDenoSender().send,
  telemetry: async () => (await import("../telemetry/open_telemetry.ts")).createOpenTelemetry,
  metrics: async () => (await import("../telemetry/open_metrics.ts")).createOpenMetrics,
  buckets: async () => {
    const { RedisQuotas } = await import("../messaging/brokers/redis/redis_quotas.ts");
    return (options) => new RedisQuotas(options);
  },
  defaultDatabase: "sqlite",
  defaultChannel: "file-based-messaging",
  productionChannel: "enterprise-messaging",
  importModule: async (path) => asNamespace(await loadModuleFile(path)),
  loadModel,
  compiler: () => andThen(loadCompiler(), (compiler) => compileSourceWith(compiler, (files) => files)),
  staticFiles: (path, folder, source) => staticFiles({ root: Deno.cwd(), path, folder, source }),
  answerFile,
  console: async () => (await import("../console/files.ts")).FILES,
  terminal: terminalStyle,
  sharedTimers: true,
};

/** What a module exports by name; in CommonJS a class may be all of it. */
function asNamespace(module: unknown): Readonly<Record<string, unknown>> {
  return typeof module === "function" ? { default: module } : module as Readonly<Record<string, unknown>>;
}

/**
 * The databases and channels of a project: those in files lie below its root.
 *
 * @param root of the project, absolute
 */
export function storesIn(root: string): Pick<Kinds, "databases" | "channels"> {
  const { databases, channels } = denoKinds;
  return {
    databases: { ...databases, sqlite: async () => filesIn(root, await databases!.sqlite!()) },
    channels: {
      ...channels,
      "file-based-messaging": async () => boxesIn(root, await channels!["file-based-messaging"]!()),
    },
  };
}

/**
 * Compiles texts, and files whose names mean something.
 *
 * @param compiler the compiler
 * @param pathsOf the paths of files by their names
 */
export function compileSourceWith(
  compiler: Compiler,
  pathsOf: (names: readonly string[]) => readonly string[],
): CompileSource {
  return (source) => {
    if (typeof source === "string") return compiler.compileText(source);
    return isList(source) ? readModelWith(compiler)(pathsOf(source)) : compiler.compileTexts(source);
  };
}

/**
 * Opens the message boxes of a project wherever the process was started.
 *
 * @param root of the project, absolute
 * @param create opens a box whose name counts from the working directory
 */
function boxesIn(root: string, create: ChannelFactory): ChannelFactory {
  return (given) => {
    const { file } = given.options;
    return create(
      typeof file === "string" ? { ...given, options: { ...given.options, file: boxIn(root, file) } } : given,
    );
  };
}

function boxIn(root: string, file: string): string {
  const isAbsolute = file.startsWith("/") || file === "~" || file.startsWith("~/") || /^[A-Za-z]:/.test(file);
  return isAbsolute ? file : `${root}/${file}`;
}

/**
 * Opens the files of a project wherever the process was started.
 *
 * @param root of the project, absolute
 * @param create opens a file whose name counts from the working directory
 */
export function filesIn(root: string, create: DatabaseFactory): DatabaseFactory {
  return (given) => create({ ...given, options: withPaths(root, given.options) });
}

function withPaths(root: string, options: DatabaseOptions["options"]): DatabaseOptions["options"] {
  const { credentials } = options as { readonly credentials?: Readonly<Record<string, unknown>> };
  if (!credentials) return options;
  const paths = ["url", "database"].flatMap((key) => {
    const file = credentials[key];
    return typeof file === "string" ? [[key, fileIn(root, file)]] : [];
  });
  return { ...options, credentials: { ...credentials, ...Object.fromEntries(paths) } };
}

/**
 * The path of a file of a database.
 *
 * @param root of the project, absolute
 * @param given its name as the configuration has it
 * @returns an absolute path, or `:memory:`
 */
export function fileIn(root: string, given: string): string {
  const file = given.replace(/^sqlite:|^file:(?:\/\/)?/, "");
  return file === "" || file === ":memory:" || file.startsWith("/") ? file : `${root}/${file}`;
}

function isList(source: object): source is readonly string[] {
  return Array.isArray(source);
}
