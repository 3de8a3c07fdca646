/**
 * The table of all kinds a server process has.
 *
 * @module
 */

import type { CompileSource, Kinds } from "../fw/kinds.ts";
import { andThen } from "../util/maybe_promise.ts";
import { boxesIn } from "./box_files.ts";
import { filesIn } from "./database_files.ts";
import { type Compiler, loadCompiler, loadModel, readModelWith } from "./load_model.ts";
import { toUrl } from "./load_handlers.ts";
import { createDenoSender } from "./send_request.ts";
import { staticFiles } from "./static_files.ts";

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
  fetch: createDenoSender().send,
  defaultDatabase: "sqlite",
  defaultChannel: "file-based-messaging",
  productionChannel: "enterprise-messaging",
  importModule: (path) => import(toUrl(path)),
  loadModel,
  compiler: () => andThen(loadCompiler(), (compiler) => compileSourceWith(compiler, (files) => files)),
  staticFiles: (path, folder, source) => staticFiles({ root: Deno.cwd(), path, folder, source }),
  sharedTimers: true,
};

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
  return (source) =>
    typeof source === "string" ? compiler.compileText(source) : readModelWith(compiler)(pathsOf(source));
}
