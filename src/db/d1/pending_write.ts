/**
 * Writes on one table that are not sent to the database: what they would do is read, and remembered.
 *
 * @module
 */

import type { QueryParams, Row } from "../../cqn/cqn.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { constraintViolation } from "../statement_errors.ts";
import type { Binding } from "../render/binding.ts";
import { quote, renderQuery, SqlWriter, type WriterOptions } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import { type SqlValue, sqlValue } from "../write/sql_value.ts";
import type { WriteStatement } from "../write/statement_runner.ts";
import { D1_DIALECT } from "./d1_dialect.ts";
import type { PendingRows, PendingTable } from "./pending_rows.ts";
import { fingerprint, toWire, wireText, type WireValue } from "./stored_columns.ts";

/** What a write needs of its transaction. */
export interface PendingWriter {
  readonly model: LinkedModel;
  readonly pending: PendingRows;
  /** Reads through what is pending. */
  read(sql: string, bindings: readonly Binding[], params: QueryParams): MaybePromise<Row[]>;
  /** What is known of the values of parameters. */
  readonly types: WriterOptions["types"];
}

const BEFORE = "fw$before";

/**
 * Carries out a write.
 *
 * @param writer the transaction
 * @param statement what is written
 * @param params parameters of its conditions
 * @returns the number of rows
 * @throws ServiceError 400 for null in a column that must not be, 409 for a row that the transaction has written already
 */
export function writePending(
  writer: PendingWriter,
  statement: WriteStatement,
  params: QueryParams,
): MaybePromise<number> {
  const table = writer.pending.of(statement.kind === "insert" ? statement.into.table : statement.table);
  switch (statement.kind) {
    case "insert": {
      const { into: { columns }, rows } = statement;
      const given = rows.map((values) => new Map(columns.map(({ name }, at) => [name, values[at]])));
      return insert(writer, table, given);
    }
    case "insertFrom": {
      const { sql, bindings } = renderQuery(D1_DIALECT, statement.query, { types: writer.types });
      return andThen(writer.read(sql, bindings, params), (rows) => {
        const given = rows.map((row) => {
          const values = Object.values(row).map((value) => sqlValue(value));
          return new Map(statement.columns.map(({ name }, at) => [name, values[at]]));
        });
        return insert(writer, table, given);
      });
    }
    case "update":
      return update(writer, table, { statement, params });
    case "delete":
      return remove(writer, table, { statement, params });
  }
}

/** Columns that are not given have the default that the database would give them. */
function insert(
  writer: PendingWriter,
  pending: PendingTable,
  rows: readonly ReadonlyMap<string, SqlValue>[],
): MaybePromise<number> {
  const { stored } = pending.table;
  const missing = stored.filter(({ name, fallback }) =>
    fallback !== undefined && rows.some((row) => !row.has(name))
  );
  const sql = `SELECT ${missing.map(({ name, fallback }) => `${fallback} AS ${quote(name)}`).join(", ")}`;
  const fallbacks = missing.length === 0 ? [{}] : writer.read(sql, [], {});
  return andThen<readonly Row[], number>(fallbacks, ([defaults]) => {
    for (const row of rows) {
      pending.insert(stored.map(({ name, notNull }) => {
        const value = toWire(row.get(name) ?? (row.has(name) ? null : sqlValue(defaults[name])));
        if (value === null && notNull) throw constraintViolation("null", { columns: [name] });
        return value;
      }));
    }
    return rows.length;
  });
}

/** A statement on rows that are there. */
interface Change<S> {
  readonly statement: S;
  readonly params: QueryParams;
}

/** The rows that a statement means, as the transaction sees them, with more values. */
function affected(
  writer: PendingWriter,
  entity: LinkedEntity,
  { statement, params, columns }: Change<Extract<WriteStatement, { kind: "update" | "delete" }>> & {
    readonly columns: (sql: SqlWriter) => readonly string[];
  },
): MaybePromise<Row[]> {
  const sql = new SqlWriter(D1_DIALECT, { types: writer.types });
  const list = columns(sql).join(", ");
  const where = statement.where ? ` WHERE ${sql.expression(statement.where)}` : "";
  return writer.read(`SELECT ${list} FROM ${quote(sqlName(entity))}${where}`, sql.bindings, params);
}

function update(
  writer: PendingWriter,
  pending: PendingTable,
  { statement, params }: Change<Extract<WriteStatement, { kind: "update" }>>,
): MaybePromise<number> {
  const { stored, keys, entity } = pending.table;
  const columns = (sql: SqlWriter) => [
    ...stored.map((column) => `${wireText(column)} AS ${quote(column.name)}`),
    ...statement.set.flatMap((set, at) =>
      "expression" in set ? [`${sql.expression(set.expression)} AS "fw$${at}"`] : []
    ),
    `${fingerprint(pending.table)} AS "${BEFORE}"`,
  ];
  const keyOf = (row: Row) => keys.map((at) => row[stored[at].name] as WireValue);
  const change = (row: Row, there: Set<string>) => {
    const key = keyOf(row);
    const next = { ...row };
    for (const [at, set] of statement.set.entries()) {
      next[set.column.name] = toWire("value" in set ? set.value : sqlValue(row[`fw$${at}`]));
    }
    const values = stored.map(({ name, notNull }) => {
      if (next[name] === null && notNull) throw constraintViolation("null", { columns: [name] });
      return next[name] as WireValue;
    });
    const before = row[BEFORE] as string;
    if (keys.every((at, index) => values[at] === key[index])) pending.change(key, { before, values });
    else {
      const moved = JSON.stringify(keys.map((at) => values[at]));
      there.delete(JSON.stringify(key));
      // as a database does, which looks after keys row by row
      if (there.has(moved)) throw constraintViolation("key", { entity: entity.name });
      there.add(moved);
      pending.change(key, { before });
      pending.insert(values);
    }
  };
  return andThen(affected(writer, entity, { statement, params, columns }), (rows) => {
    const undo = pending.mark();
    try {
      const there = new Set(rows.map((row) => JSON.stringify(keyOf(row))));
      for (const row of rows) change(row, there);
    } catch (error) {
      undo();
      throw error;
    }
    return rows.length;
  });
}

function remove(
  writer: PendingWriter,
  pending: PendingTable,
  { statement, params }: Change<Extract<WriteStatement, { kind: "delete" }>>,
): MaybePromise<number> {
  const { stored, keys, entity } = pending.table;
  const columns = () => [
    ...keys.map((at) => `${wireText(stored[at])} AS ${quote(stored[at].name)}`),
    `${fingerprint(pending.table)} AS "${BEFORE}"`,
  ];
  return andThen(affected(writer, entity, { statement, params, columns }), (rows) => {
    for (const row of rows) {
      const key = keys.map((at) => row[stored[at].name] as WireValue);
      pending.change(key, { before: row[BEFORE] as string });
    }
    return rows.length;
  });
}
