/**
 * The tables of a D1 database or of a Durable Object.
 *
 * @module
 */

import type { TableCatalog } from "../ddl/deploy_tables.ts";
import { quote } from "../render/render_query.ts";
import type { SqlDriver } from "./sql_driver.ts";

/** Name of the table that knows which model the tables were made for. */
export const DEPLOYED = "fw_deployed";

/**
 * What deploying needs.
 *
 * @param driver reads the tables that are there
 * @param changes takes the statements, which the caller runs as one batch
 */
export function d1Catalog(driver: SqlDriver, changes: string[]): TableCatalog {
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
        notNull: row.notnull === 1,
        hasDefault: row.dflt_value !== null,
      })),
    hasRows: async (table) => (await all(`SELECT 1 FROM ${quote(table)} LIMIT 1`)).length > 0,
    run: (sql) => Promise.resolve(changes.push(sql)),
  };
}

/**
 * The model that the tables were made for.
 *
 * @param driver reads it
 */
export async function deployedState(driver: SqlDriver): Promise<unknown> {
  const [[row]] = await driver.read([{ sql: `SELECT "model" FROM "${DEPLOYED}"`, values: [] }]);
  return row?.model;
}
