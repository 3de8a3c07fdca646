/**
 * Writes on a table as SQL text with bound values.
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import type { FlatElement } from "../../model/linked.ts";
import { sqlName } from "../sql_name.ts";
import type { WriteStatement } from "../write/write_statement.ts";
import type { Dialect } from "./dialect.ts";
import { quote, type RenderedSql, SqlWriter, type WriterOptions } from "./render_query.ts";

/**
 * Renders a write.
 *
 * @param dialect where databases differ
 * @param statement what is written
 * @param types what is known of the values of parameters
 */
export function renderWrite(
  dialect: Dialect,
  statement: WriteStatement,
  types?: WriterOptions["types"],
): RenderedSql {
  const writer = new SqlWriter(dialect, { types });
  return { sql: writeText(writer, statement), bindings: writer.bindings };
}

function writeText(writer: SqlWriter, statement: WriteStatement): string {
  const table = quote(sqlName(statement.table));
  switch (statement.kind) {
    case "insert": {
      const { columns, values } = statement;
      if (columns.length === 0) return `INSERT INTO ${table} DEFAULT VALUES`;
      return `INSERT INTO ${table} (${names(columns)}) VALUES (${
        values.map((value) => writer.bound(value)).join(", ")
      })`;
    }
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
