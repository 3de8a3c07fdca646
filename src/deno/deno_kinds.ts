/**
 * The table of all kinds a server process has.
 *
 * @module
 */

import type { Kinds } from "../fw/kinds.ts";
import { toUrl } from "./load_handlers.ts";

/** Kinds for Deno: SQLite beside memory, the file channel beside the in-process ones. */
export const denoKinds: Kinds = {
  databases: {
    sqlite: async () => (await import("../db/sqlite/sqlite_database.ts")).createSqliteDatabase,
  },
  channels: {
    "file-based-messaging": async () => (await import("../messaging/file/file_channel.ts")).createFileChannel,
  },
  defaultDatabase: "sqlite",
  defaultChannel: "file-based-messaging",
  importModule: (path) => import(toUrl(path)),
};
