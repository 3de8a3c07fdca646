/**
 * The tables of a PostgreSQL database, in the schema of the connection.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { rowProbes, type TableCatalog } from "../evolution/table_catalog.ts";

import type { EngineTransaction } from "../engine/engine_transaction.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import type { PostgresDriver } from "./postgres_driver.ts";

/**
 * What deploying needs.
 *
 * @param tx a transaction
 */
export function postgresCatalog(tx: EngineTransaction<CompiledSelect, PostgresDriver>): TableCatalog {
  const all = async (sql: string, values: readonly unknown[] = []) => await tx.sql(sql, values) as Row[];
  return {
    tables: async () =>
      (await all(
        "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = current_schema()",
      )).map((row) => ({ name: String(row.table_name), isView: row.table_type === "VIEW" })),
    columns: async (table) =>
      (await all(
        "SELECT column_name, data_type, is_nullable, column_default, is_generated FROM information_schema.columns " +
          "WHERE table_schema = current_schema() AND table_name = ?",
        [table],
      )).map((row) => ({
        name: String(row.column_name),
        sql: String(row.data_type),
        notNull: row.is_nullable === "NO",
        hasDefault: row.column_default !== null || row.is_generated === "ALWAYS",
      })),
    ...rowProbes(all),
    hold: (tables) => tx.driver.lockTables(tables),
    run: (sql, values) => tx.sql(sql, values),
  };
}
