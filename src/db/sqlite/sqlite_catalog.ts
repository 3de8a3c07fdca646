/**
 * The tables of a SQLite database.
 *
 * @module
 */

import { sqliteTables } from "../evolution/sqlite_tables.ts";
import type { TableCatalog } from "../evolution/table_catalog.ts";
import type { SqliteDriver } from "./sqlite_driver.ts";

/**
 * What deploying needs.
 *
 * @param driver a transaction that may write
 */
export function sqliteCatalog(driver: SqliteDriver): TableCatalog {
  return {
    ...sqliteTables((sql) => Promise.resolve(driver.write((connection) => connection.all(sql, [])))),
    run: (sql, values = []) =>
      Promise.resolve(driver.write((connection) => connection.change({ sql }, values))),
  };
}
