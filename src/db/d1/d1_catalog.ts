/**
 * The tables of a D1 database or of a Durable Object.
 *
 * @module
 */

import { sqliteTables } from "../evolution/sqlite_tables.ts";
import {
  DEPLOYED,
  DEPLOYED_QUERY,
  longerQuery,
  nullQuery,
  rowsQuery,
  type TableCatalog,
} from "../evolution/table_catalog.ts";
import { conflictCheck } from "./conflict_check.ts";
import type { SqlDriver, SqlStatement } from "./sql_driver.ts";

/** What deploying needs, and what became of it. */
export interface D1Catalog extends TableCatalog {
  /** The statements of the deployment, which the caller runs as one batch. */
  readonly changes: SqlStatement[];
  /** Fail where others have deployed, or written rows that were not there, since this deployment has looked. */
  readonly checks: readonly SqlStatement[];
}

/**
 * What deploying needs.
 *
 * @param driver reads the tables that are there
 */
export function d1Catalog(driver: SqlDriver): D1Catalog {
  const changes: SqlStatement[] = [];
  const checks: SqlStatement[] = [];
  const tables = sqliteTables(async (sql) => (await driver.read([{ sql, values: [] }]))[0]);
  /** What no row was found for must not be there later either. */
  const checked = async (isFound: Promise<boolean>, query: string) => {
    if (await isFound) return true;
    checks.push(conflictCheck(`NOT EXISTS (${query})`));
    return false;
  };
  return {
    ...tables,
    tables: async () => {
      const found = await tables.tables();
      if (!found.some(({ name }) => name === DEPLOYED)) {
        checks.push(conflictCheck(`NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '${DEPLOYED}')`));
      }
      return found;
    },
    hasRows: (table) => checked(tables.hasRows(table), rowsQuery(table)),
    hasNull: (table, column) => checked(tables.hasNull(table, column), nullQuery(table, column)),
    hasLonger: (table, column, characters) =>
      checked(
        tables.hasLonger(table, column, characters),
        longerQuery(table, column, characters),
      ),
    deployed: async () => {
      const model = await tables.deployed();
      checks.push(conflictCheck(`(${DEPLOYED_QUERY}) IS ?`, [model ?? null]));
      return model;
    },
    run: (sql, values = []) => Promise.resolve(changes.push({ sql, values })),
    changes,
    checks,
  };
}
