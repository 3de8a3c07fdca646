/**
 * What deploying needs from a database.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { quote } from "../render/render_query.ts";
import type { RowProbe } from "./findings.ts";

/** A table or view that is there. */
export interface ExistingTable {
  readonly name: string;
  readonly isView: boolean;
}

/** A column that is there. */
export interface ExistingColumn {
  readonly name: string;
  /** Its type in SQL. */
  readonly sql: string;
  readonly notNull: boolean;
  readonly hasDefault: boolean;
}

/** What deploying needs from a database, inside one transaction. */
export interface TableCatalog extends RowProbe {
  /** All tables and views. */
  tables(): Promise<readonly ExistingTable[]>;
  /** The columns of a table. */
  columns(table: string): Promise<readonly ExistingColumn[]>;
  /** The text that `DEPLOYED` holds; the table is there. */
  deployed(): Promise<string | undefined>;
  /**
   * Keeps others out of tables until the transaction ends, so that what is seen of their rows stays true. Missing where
   * nobody else writes meanwhile.
   */
  hold?(tables: readonly string[]): Promise<unknown>;
  /** Runs a statement. */
  run(sql: string, values?: readonly (string | number)[]): Promise<unknown>;
}

/** The table in which a database keeps what it was deployed for. */
export const DEPLOYED = "fw_deployed";

/** The table in which a database keeps what deployments have done. */
export const DEPLOYMENTS = "fw_deployments";

/** Reads what a database was deployed for. */
export const DEPLOYED_QUERY = `SELECT "model" FROM "${DEPLOYED}" WHERE "ID" = 1`;

/**
 * The query for one row of a table.
 *
 * @param table its name
 */
export function rowsQuery(table: string): string {
  return `SELECT 1 FROM ${quote(table)} LIMIT 1`;
}

/**
 * The query for one null in a column.
 *
 * @param table its name
 * @param column its name
 */
export function nullQuery(table: string, column: string): string {
  return `SELECT 1 FROM ${quote(table)} WHERE ${quote(column)} IS NULL LIMIT 1`;
}

/**
 * The query for one text in a column that is longer.
 *
 * @param table its name
 * @param column its name
 * @param characters code points
 */
export function longerQuery(table: string, column: string, characters: number): string {
  return `SELECT 1 FROM ${quote(table)} WHERE length(${quote(column)}) > ${characters} LIMIT 1`;
}

/**
 * What deploying asks for of rows, and of the deployment before.
 *
 * @param all gives the rows of a query
 */
export function rowProbes(
  all: (sql: string) => Promise<readonly Row[]>,
): Pick<TableCatalog, "hasRows" | "hasNull" | "hasLonger" | "deployed"> {
  const isFound = async (sql: string) => (await all(sql)).length > 0;
  return {
    hasRows: (table) => isFound(rowsQuery(table)),
    hasNull: (table, column) => isFound(nullQuery(table, column)),
    hasLonger: (table, column, characters) => isFound(longerQuery(table, column, characters)),
    deployed: async () => (await all(DEPLOYED_QUERY))[0]?.model as string | undefined,
  };
}
