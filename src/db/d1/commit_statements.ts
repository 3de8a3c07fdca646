/**
 * What a transaction sends to the database in the end.
 *
 * @module
 */

import { quote } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import { conflictCheck } from "./conflict_check.ts";
import type { PendingRow, PendingTable } from "./pending_rows.ts";
import type { SqlStatement } from "./sql_driver.ts";
import { columnText, fingerprint, type StoredTable } from "./stored_columns.ts";

/** Bytes of JSON in one statement, about; rows with more go alone. */
const CHUNK_BYTES = 500_000;

/** What the database looks after. */
export interface CommitOptions {
  /** Rows that others refer to cannot be deleted, not even for a moment. */
  readonly foreignKeys?: boolean;
}

/**
 * The statements of a commit. First come checks that the rows still are what they were when the transaction read them;
 * then rows are removed, changed and added, those of a table together.
 *
 * @param tables what the transaction has written
 * @param options what the database looks after
 */
export function commitStatements(
  tables: readonly PendingTable[],
  options: CommitOptions = {},
): readonly SqlStatement[] {
  const checks = tables.flatMap(({ table, rows }) => {
    const touched = rows.filter(({ before }) => before !== undefined);
    // added and deleted again: nothing would be written in spite of a row that is there
    const passing = rows.filter(({ before, values }) => before === undefined && values === undefined);
    return [
      ...chunks(touched, ({ key, before }) => [...key, before]).map((json) => check(table, json)),
      ...chunks(passing, ({ key }) => key).map((json) => checkAbsence(table, json)),
    ];
  });
  return [...checks, ...tables.flatMap(({ table, rows }) => changes(table, rows, options))];
}

function changes(
  table: StoredTable,
  rows: readonly PendingRow[],
  { foreignKeys }: CommitOptions,
): SqlStatement[] {
  // a row may take the value that another one gives up, which no order of single changes allows
  const isReplaced = table.hasUnique && !foreignKeys;
  const isThere = ({ before }: PendingRow) => before !== undefined;
  const gone = rows.filter((row) => isThere(row) && (isReplaced || row.values === undefined));
  const changed = isReplaced || table.stored.length === table.keys.length
    ? []
    : rows.filter((row) => isThere(row) && row.values !== undefined);
  const added = rows.filter((row) => (isReplaced || !isThere(row)) && row.values !== undefined);
  const valuesOf = ({ values }: PendingRow) => values!;
  const [number] = table.keys;
  const addedOf = table.isNumbered ? (row: PendingRow) => valuesOf(row).with(number, null) : valuesOf;
  return [
    ...chunks(gone, ({ key }) => key).map((json) => ({ sql: deleteText(table), values: [json] })),
    ...chunks(changed, valuesOf).map((json) => ({ sql: updateText(table), values: [json] })),
    ...chunks(added, addedOf).map((json) => ({ sql: insertText(table), values: [json] })),
  ];
}

/** JSON arrays of arrays, each of bounded size. */
function chunks(rows: readonly PendingRow[], valuesOf: (row: PendingRow) => readonly unknown[]): string[] {
  const result: string[] = [];
  let items: string[] = [];
  let size = 0;
  for (const row of rows) {
    const text = JSON.stringify(valuesOf(row));
    if (size + text.length > CHUNK_BYTES && items.length > 0) {
      result.push(`[${items.join(",")}]`);
      [items, size] = [[], 0];
    }
    items.push(text);
    size += text.length;
  }
  return items.length === 0 ? result : [...result, `[${items.join(",")}]`];
}

function nameOf({ entity }: StoredTable): string {
  return quote(sqlName(entity));
}

/** Key columns of a JSON array that starts with them. */
function keysOf({ stored, keys }: StoredTable): string {
  return keys.map((at, index) => columnText(stored[at], `value ->> ${index}`)).join(", ");
}

function keyColumns({ stored, keys }: StoredTable): string {
  return keys.map((at) => quote(stored[at].name)).join(", ");
}

/** Fails unless all rows are as they were. */
function check(table: StoredTable, json: string): SqlStatement {
  const before = `value ->> ${table.keys.length}`;
  const same = `SELECT count(*) FROM ${nameOf(table)} WHERE (${keyColumns(table)}, ${fingerprint(table)}) ` +
    `IN (SELECT ${keysOf(table)}, ${before} FROM json_each(?))`;
  return conflictCheck(`(${same}) = json_array_length(?)`, [json, json]);
}

/** Fails if one of the rows is there. */
function checkAbsence(table: StoredTable, json: string): SqlStatement {
  const same = `SELECT 1 FROM ${nameOf(table)} WHERE (${keyColumns(table)}) IN ` +
    `(SELECT ${keysOf(table)} FROM json_each(?))`;
  return conflictCheck(`NOT EXISTS (${same})`, [json]);
}

function deleteText(table: StoredTable): string {
  return `DELETE FROM ${nameOf(table)} WHERE (${keyColumns(table)}) IN (SELECT ${
    keysOf(table)
  } FROM json_each(?))`;
}

function rowsText({ stored }: StoredTable): string {
  const columns = stored.map((column, at) =>
    `${columnText(column, `value ->> ${at}`)} AS ${quote(column.name)}`
  );
  return `SELECT ${columns.join(", ")} FROM json_each(?)`;
}

function updateText(table: StoredTable): string {
  const { stored, keys } = table;
  const name = nameOf(table);
  const set = stored.filter((_, at) => !keys.includes(at)).map((column) =>
    `${quote(column.name)} = "fw$row".${quote(column.name)}`
  );
  const where = keys.map((at) => quote(stored[at].name)).map((key) => `${name}.${key} = "fw$row".${key}`);
  return `UPDATE ${name} SET ${set.join(", ")} FROM (${rowsText(table)}) AS "fw$row" WHERE ${
    where.join(" AND ")
  }`;
}

function insertText(table: StoredTable): string {
  const columns = table.stored.map((column) => quote(column.name)).join(", ");
  return `INSERT INTO ${nameOf(table)} (${columns}) ${rowsText(table)}`;
}
