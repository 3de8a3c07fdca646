/**
 * Writes on a table as SQL text with bound values.
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import type { FlatElement } from "../../model/linked.ts";
import { sqlName } from "../sql_name.ts";
import type { InsertColumns, InsertStatement, WriteStatement } from "../write/write_statement.ts";
import type { Dialect } from "./dialect.ts";
import { quote, type RenderedSql, type SqlText, SqlWriter, type WriterOptions } from "./render_query.ts";

/** Text of statements by dialect and columns. */
const INSERTS: WeakMap<Dialect, WeakMap<InsertColumns, SqlText>> = new WeakMap();

/**
 * The text that inserts a row: the same object for the same columns.
 *
 * @param dialect where databases differ
 * @param into table and columns, whose values are bound in their order
 */
export function renderInsert(dialect: Dialect, into: InsertColumns): SqlText {
  let known = INSERTS.get(dialect);
  if (!known) INSERTS.set(dialect, known = new WeakMap());
  let text = known.get(into);
  if (!text) known.set(into, text = { sql: insertText(dialect, into) });
  return text;
}

function insertText(dialect: Dialect, { table, columns }: InsertColumns): string {
  const start = `INSERT INTO ${quote(sqlName(table))}`;
  if (columns.length === 0) return `${start} DEFAULT VALUES`;
  const values = columns.map((_, index) => dialect.placeholder(index));
  return `${start} (${names(columns)}) VALUES (${values.join(", ")})`;
}

/**
 * Renders a write, but for the insertion of a row.
 *
 * @param dialect where databases differ
 * @param statement what is written
 * @param types what is known of the values of parameters
 */
export function renderWrite(
  dialect: Dialect,
  statement: Exclude<WriteStatement, InsertStatement>,
  types?: WriterOptions["types"],
): RenderedSql {
  const writer = new SqlWriter(dialect, { types });
  return { sql: writeText(writer, statement), bindings: writer.bindings };
}

function writeText(writer: SqlWriter, statement: Exclude<WriteStatement, InsertStatement>): string {
  const table = quote(sqlName(statement.table));
  switch (statement.kind) {
    case "insertFrom":
      return `INSERT INTO ${table} (${names(statement.columns)}) ${writer.query(statement.query)}`;
    case "update": {
      const set = statement.set.map((assignment) =>
        `${quote(assignment.column.name)} = ${
          "expression" in assignment
            ? writer.expression(assignment.expression)
            : writer.bound(assignment.value)
        }`
      );
      return `UPDATE ${table} SET ${set.join(", ")}${condition(writer, statement.where)}`;
    }
    case "delete":
      return `DELETE FROM ${table}${condition(writer, statement.where)}`;
  }
}

function names(columns: readonly FlatElement[]): string {
  return columns.map(({ name }) => quote(name)).join(", ");
}

function condition(writer: SqlWriter, where: readonly Xo[] | undefined): string {
  return where?.length ? ` WHERE ${writer.xo(where)}` : "";
}
