/**
 * What is used of the driver `node:sqlite`: files that are opened, and statements whose rows are arrays.
 *
 * @module
 */

import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Row } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { nodeModule } from "../../platform/node_module.ts";
import type { SqlValue } from "../write/sql_value.ts";
import type { RunningStatement } from "./sql_functions.ts";

/**
 * Opens a file.
 *
 * @param file its path, or `:memory:`
 * @param options those of the driver
 * @throws ConfigurationError for a file that cannot be opened, or is no database
 */
export function openFile(
  file: string,
  options: { readonly readOnly: boolean; readonly timeout: number },
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, options);
    // opening looks at the name only
    db.exec("PRAGMA schema_version");
    return db;
  } catch (cause) {
    db?.close();
    const { message } = cause as Error;
    const folder = dirname(file);
    if (/^unable to open/.test(message) && !nodeModule("node:fs").existsSync(folder)) {
      throw new ConfigurationError(`The database file cannot be opened: there is no folder for ${file}`, {}, {
        cause,
      });
    }
    const reason = message.endsWith(`: ${file}`) ? message : `${message}: ${file}`;
    throw new ConfigurationError(`The database file cannot be opened: ${reason}`, {}, { cause });
  }
}

/** A statement whose rows are arrays: objects of the driver cost three times as much. */
export interface ArrayStatement extends Omit<StatementSync, "all" | "get"> {
  all(...values: readonly SqlValue[]): unknown[][];
  get(...values: readonly SqlValue[]): unknown[] | undefined;
}

/** A statement of the driver, whose rows are arrays from now on. */
export function withArrays(statement: StatementSync): ArrayStatement {
  // the declarations of the driver do not know the method yet
  (statement as unknown as { setReturnArrays(enabled: boolean): void }).setReturnArrays(true);
  return statement as unknown as ArrayStatement;
}

/** The names of the columns of a statement. */
export function columnNames(statement: ArrayStatement): string[] {
  return statement.columns().map(({ name }) => name);
}

/** Puts rows in the place of their values. */
export function toRows(found: unknown[], names: readonly string[]): Row[] {
  for (let at = 0; at < found.length; at++) found[at] = toRow(found[at] as unknown[], names);
  return found as Row[];
}

function toRow(values: readonly unknown[], names: readonly string[]): Row {
  const row: Row = {};
  for (let index = 0; index < names.length; index++) row[names[index]!] = values[index];
  return row;
}

/** Reads rows; undefined where a number cannot hold one of their integers. */
export function readNumbers(statement: ArrayStatement, values: readonly SqlValue[]): unknown[][] | undefined {
  try {
    const rows = statement.all(...values);
    for (const row of rows) if (row.includes(LEAST)) return undefined;
    return rows;
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_OUT_OF_RANGE") throw error;
  }
  return undefined;
}

/** The one integer that the driver rounds: for all others that a number cannot hold it throws. */
const LEAST = -(2 ** 63);

/** Reads rows; integers that a number cannot hold come as text. */
export function readAll(
  statement: ArrayStatement,
  values: readonly SqlValue[],
  running: RunningStatement,
): unknown[][] {
  const rows = readNumbers(statement, values);
  if (rows !== undefined) return rows;
  running.begin();
  // Decimals without fraction are integers to SQLite, and may be larger than those a number can hold.
  statement.setReadBigInts(true);
  try {
    return statement.all(...values).map((row) => row.map(toNumberOrText));
  } finally {
    statement.setReadBigInts(false);
  }
}

/** A row without the mark of the last one; integers that a number cannot hold come as text. */
export function withoutEnd({ $end: _end, ...row }: Row): Row {
  return withNumbers(row);
}

function withNumbers(row: Row): Row {
  for (const name in row) row[name] = toNumberOrText(row[name]);
  return row;
}

function toNumberOrText(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}
