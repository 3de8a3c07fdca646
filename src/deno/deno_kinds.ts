/**
 * The table of all kinds a server process has.
 *
 * @module
 */

import type { Kinds } from "../fw/kinds.ts";
import { compileText, loadModel } from "./load_model.ts";
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
  compile: (source) => typeof source === "string" ? compileText(source) : loadModel(source),
  staticFiles: (path, folder, source) => staticFiles({ root: Deno.cwd(), path, folder, source }),
  sharedTimers: true,
};
