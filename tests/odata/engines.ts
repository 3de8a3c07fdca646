/**
 * The engines that the semantics of URLs are tested on.
 *
 * @module
 */

import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { DatabaseFactory } from "../../src/service/database.ts";
import { postgresDatabase, server } from "../db/postgres.ts";

/** Factories by name; PostgreSQL where it answers. */
export const ENGINES: Readonly<Record<string, DatabaseFactory>> = {
  sqlite: createSqliteDatabase,
  memory: createMemoryDatabase,
  ...(server.isThere
    ? {
      postgres: ({ model, limits }: Parameters<DatabaseFactory>[0]) =>
        postgresDatabase(model, {}, { limits }),
    }
    : {}),
};
