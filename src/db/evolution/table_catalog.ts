/**
 * What deploying needs from a database.
 *
 * @module
 */

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

/** The table in which it keeps what was done by deployments. */
export const DEPLOYMENTS = "fw_deployments";

/** Reads it. */
export const DEPLOYED_QUERY = `SELECT "model" FROM "${DEPLOYED}" WHERE "ID" = 1`;

/**
 * The query for one row of a table.
 *
 * @param table quoted
 */
export function rowsQuery(table: string): string {
  return `SELECT 1 FROM ${table} LIMIT 1`;
}

/**
 * The query for one null in a column.
 *
 * @param table quoted
 * @param column quoted
 */
export function nullQuery(table: string, column: string): string {
  return `SELECT 1 FROM ${table} WHERE ${column} IS NULL LIMIT 1`;
}

/**
 * The query for one text in a column that is longer.
 *
 * @param table quoted
 * @param column quoted
 * @param characters code points
 */
export function longerQuery(table: string, column: string, characters: number): string {
  return `SELECT 1 FROM ${table} WHERE length(${column}) > ${characters} LIMIT 1`;
}
