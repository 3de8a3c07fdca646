/**
 * The engines that are compared with each other.
 *
 * @module
 */

import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { LinkedModel } from "../../src/model/linked.ts";
import type { Database } from "../../src/service/database.ts";
import { postgresDatabase, server as postgres } from "./postgres.ts";

/** Empty databases in memory, of SQLite and, where it is there, of PostgreSQL. */
export function createAllEngines(model: LinkedModel): Promise<Database[]> {
  return Promise.all([
    createMemoryDatabase({ model, options: {} }),
    createSqliteDatabase({ model, options: {} }),
    ...(postgres.isThere ? [postgresDatabase(model)] : []),
  ]);
}
