import { quote } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import type { PendingRow, PendingTable } from "./pending_rows.ts";
import type { SqlStatement } from "./sql_driver.ts";
import { columnText, fingerprint, type StoredTable } from "./stored_columns.ts";
import type { SqlValue } from "../write/sql_value.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { constraintViolation, outOfRange, unavailable, unknownFunction } from "../statement_errors.ts";
import { persistentEntities } from "../ddl/render_ddl.ts";

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

/**
 * A statement that fails unless a condition is true: `json_extract` refuses a path that does not start with `$`.
 *
 * @param condition SQL
 * @param values those of its placeholders
 */
export function conflictCheck(condition: string, values: readonly SqlValue[] = []): SqlStatement {
  return { sql: `SELECT json_extract('{}', iif(${condition}, '$', '${CONFLICT}'))`, values };
}

/** What the check of a commit fails with when others have changed the same rows. */
const CONFLICT = "fw_conflict";

const VIOLATION = /(UNIQUE|NOT NULL|FOREIGN KEY) constraint failed(?:: ([^:]*))?/;
const UNKNOWN = /(?:no such function: |wrong number of arguments to function )(\w+)/;
/** Bounds of the platform that a query reaches: joins, depth, values, columns, bytes; what it refuses. */
const REFUSED =
  /ESCAPE expression must be a single character|at most \d+ tables in a join|Expression tree is too large|parser stack overflow|too many (?:SQL variables|terms|columns|arguments)|string or blob too big|too complex|Statement too long/;
/** The text of the error for calculated integers, and for values that columns would not hold. */
const OVERFLOW = /integer overflow/;
/** What the platform says of its own state, whatever is asked of it. */
const UNAVAILABLE = [
  [/ is overloaded|database is locked/, "busy"],
  [/xceeded .*maximum .*(?:size|storage)|database or disk is full/, "room"],
  [/(?:was|be|D1 DB|Durable Object) reset|Network connection lost|transient issue/, "storage"],
] as const;

/**
 * The error to throw for what the platform threw, which is known by its text only.
 *
 * @param error what was thrown
 * @param model gives the names of entities and elements
 * @returns a `ServiceError` for violated constraints (409, 400), rows that others have changed (409), unknown functions
 *   (501), queries beyond the bounds of the platform (400) and a platform that cannot answer at present (503); the error
 *   itself otherwise
 */
export function d1Error(error: unknown, model: LinkedModel): unknown {
  if (!(error instanceof Error)) return error;
  const cause = error;
  if (error.message.includes(CONFLICT)) return new ServiceError({ status: 409, cause });
  const [, unknown] = UNKNOWN.exec(error.message) ?? [];
  if (unknown !== undefined) return unknownFunction(unknown, cause);
  if (OVERFLOW.test(error.message)) return outOfRange(cause);
  if (REFUSED.test(error.message)) return new ServiceError({ status: 400, cause });
  const [, reason] = UNAVAILABLE.find(([texts]) => texts.test(error.message)) ?? [];
  if (reason) return unavailable(reason, cause);
  const [, kind, list = ""] = VIOLATION.exec(error.message) ?? [];
  const columns = list.split(",").map((column) => column.trim());
  const names = columns.map((column) => column.slice(column.indexOf(".") + 1));
  switch (kind) {
    case "UNIQUE": {
      const entity = entityOf(columns[0], model);
      return entity && isKey(entity, names)
        ? constraintViolation("key", { cause, entity: entity.name })
        : constraintViolation("unique", { cause, columns: names });
    }
    case "NOT NULL":
      return constraintViolation("null", { cause, columns: names });
    case "FOREIGN KEY":
      return constraintViolation("foreignKey", { cause });
  }
  return error;
}

function entityOf(column: string, model: LinkedModel): LinkedEntity | undefined {
  const [table] = column.split(".");
  return persistentEntities(model).find((entity) => sqlName(entity) === table);
}

function isKey({ $rowKeys: keys }: LinkedEntity, columns: readonly string[]): boolean {
  return keys.length === columns.length && keys.every(({ name }) => columns.includes(name));
}
