/**
 * The tables of a D1 database or of a Durable Object.
 *
 * @module
 */

import { sqliteTables } from "../evolution/sqlite_tables.ts";
import type { TableCatalog } from "../evolution/table_catalog.ts";
import type { SqlDriver, SqlStatement } from "./sql_driver.ts";

/**
 * What deploying needs.
 *
 * @param driver reads the tables that are there
 * @param changes takes the statements, which the caller runs as one batch
 */
export function d1Catalog(driver: SqlDriver, changes: SqlStatement[]): TableCatalog {
  return {
    ...sqliteTables(async (sql) => (await driver.read([{ sql, values: [] }]))[0]),
    run: (sql, values = []) => Promise.resolve(changes.push({ sql, values })),
  };
}
