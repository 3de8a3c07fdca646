/**
 * What the catalog of SQLite says, also in databases that only speak its language.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { quote } from "../render/render_query.ts";
import { rowProbes, type TableCatalog } from "./table_catalog.ts";

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
