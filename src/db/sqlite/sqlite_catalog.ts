/**
 * The tables of a SQLite database.
 *
 * @module
 */

import { DEPLOYED_QUERY, nullQuery, type TableCatalog } from "../evolution/table_catalog.ts";
import { quote } from "../render/render_query.ts";
import type { SqliteConnection } from "./connection.ts";
import type { SqliteTransaction } from "./sqlite_transaction.ts";

/**
 * What deploying needs.
 *
 * @param tx a transaction
 */
export function sqliteCatalog(tx: SqliteTransaction): TableCatalog {
  const all = (sql: string) => tx.write((connection: SqliteConnection) => connection.all(sql, []));
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
    run: async (sql, values = []) => await tx.write((connection) => connection.change({ sql }, values)),
  };
}
