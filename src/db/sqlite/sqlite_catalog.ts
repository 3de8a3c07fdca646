/**
 * The tables of a SQLite database.
 *
 * @module
 */

import { rowProbes, type TableCatalog } from "../evolution/table_catalog.ts";
import type { SqliteDriver } from "./sqlite_driver.ts";
import { quote } from "../render/render_query.ts";
import type { Row } from "../../cqn/cqn.ts";

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

/**
 * What deploying reads.
 *
 * @param all gives the rows of a query
 */
export function sqliteTables(all: (sql: string) => Promise<readonly Row[]>): Omit<TableCatalog, "run"> {
  return {
    tables: async () =>
      (await all("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')")).map((row) => ({
        name: String(row.name),
        isView: row.type === "view",
      })),
    columns: async (table) =>
      (await all(`PRAGMA table_xinfo(${quote(table)})`)).map((row) => ({
        name: String(row.name),
        sql: String(row.type),
        notNull: row.notnull === 1,
        hasDefault: row.dflt_value !== null,
      })),
    ...rowProbes(all),
  };
}
