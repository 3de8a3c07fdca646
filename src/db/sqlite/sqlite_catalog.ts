/**
 * The tables of a SQLite database.
 *
 * @module
 */

import { sqliteTables } from "../evolution/sqlite_tables.ts";
import type { TableCatalog } from "../evolution/table_catalog.ts";
import type { SqliteTransaction } from "./sqlite_transaction.ts";

/**
 * What deploying needs.
 *
 * @param tx a transaction
 */
export function sqliteCatalog(tx: SqliteTransaction): TableCatalog {
  return {
    ...sqliteTables(async (sql) => await tx.write((connection) => connection.all(sql, []))),
    run: async (sql, values = []) => await tx.write((connection) => connection.change({ sql }, values)),
  };
}
