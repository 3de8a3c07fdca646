/**
 * The tables of a D1 database or of a Durable Object.
 *
 * @module
 */

import { DEPLOYED_QUERY, nullQuery, type TableCatalog } from "../evolution/table_catalog.ts";
import { quote } from "../render/render_query.ts";
import type { SqlDriver, SqlStatement } from "./sql_driver.ts";

/**
 * What deploying needs.
 *
 * @param driver reads the tables that are there
 * @param changes takes the statements, which the caller runs as one batch
 */
export function d1Catalog(driver: SqlDriver, changes: SqlStatement[]): TableCatalog {
  const all = async (sql: string) => (await driver.read([{ sql, values: [] }]))[0];
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
    hasRows: async (table) => (await all(`SELECT 1 FROM ${quote(table)} LIMIT 1`)).length > 0,
    hasNull: async (table, column) => (await all(nullQuery(quote(table), quote(column)))).length > 0,
    deployed: async () => (await all(DEPLOYED_QUERY))[0]?.model as string | undefined,
    run: (sql, values = []) => Promise.resolve(changes.push({ sql, values })),
  };
}
