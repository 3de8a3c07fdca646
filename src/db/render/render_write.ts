/**
 * Writes on a table as SQL text with bound values.
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import type { FlatElement } from "../../model/linked.ts";
import { BoundedCache } from "../../util/bounded_cache.ts";
import { sqlName } from "../sql_name.ts";
import type { InsertColumns, InsertStatement, WriteStatement } from "../write/write_statement.ts";
import type { Binding } from "./binding.ts";
import type { Dialect } from "./dialect.ts";
import { quote, type RenderedSql, type SqlText, SqlWriter, type WriterOptions } from "./render_query.ts";

/** Text of statements by dialect and columns, at the number of rows. */
const INSERTS: WeakMap<Dialect, WeakMap<InsertColumns, SqlText[]>> = new WeakMap();

/**
 * The text that inserts rows: the same object for the same columns and number of rows.
 *
 * @param dialect where databases differ
 * @param into table and columns, whose values are bound in their order
 * @param rows the number of rows
 */
export function renderInsert(dialect: Dialect, into: InsertColumns, rows = 1): SqlText {
  let known = INSERTS.get(dialect);
  if (!known) INSERTS.set(dialect, known = new WeakMap());
  let texts = known.get(into);
  if (!texts) known.set(into, texts = []);
  return texts[rows] ??= { sql: insertText(dialect, into, rows) };
}

function insertText(
  dialect: Dialect,
  { table, columns: given, numbered }: InsertColumns,
  rows: number,
): string {
  const name = quote(sqlName(table));
  const start = `INSERT INTO ${name}`;
  const columns = numbered ? [...given, numbered] : given;
  if (columns.length === 0) return `${start} DEFAULT VALUES`;
  const values = Array.from({ length: rows }, (_, row) => {
    const bound = given.map((_, index) => dialect.placeholder(row * given.length + index));
    if (numbered) bound.push(dialect.nextNumber(name, quote(numbered.name)));
    return `(${bound.join(", ")})`;
  });
  return `${start} (${names(columns)}) VALUES ${values.join(", ")}`;
}

/**
 * Renders a write, but for the insertion of rows.
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
  const values = boundValues(statement);
  const { where } = statement.kind === "insertFrom" ? { where: undefined } : statement;
  if (!values || !where || !Object.isFrozen(where)) return render(dialect, statement, types);
  // conditions of templates: the values of an update come first, what follows is always the same
  const columns = statement.kind === "update" ? statement.set.map(({ column }) => column.name).join() : "";
  const signature = `${statement.kind} ${columns} ${Object.values(types ?? {}).join(" ")}`;
  let known = TEMPLATES.get(where);
  if (!known) TEMPLATES.set(where, known = new BoundedCache(KEPT_TEXTS));
  const name = `${dialect.name} ${signature}`;
  let template = known.get(name);
  if (!template) {
    const { sql, bindings } = render(dialect, statement, types);
    known.set(name, template = { sql, bindings: bindings.slice(values.length) });
  }
  return { sql: template.sql, bindings: [...values, ...template.bindings] };
}

/** Text of statements with the bindings of their condition, by the condition. */
const TEMPLATES: WeakMap<readonly Xo[], BoundedCache<string, RenderedSql>> = new WeakMap();
/** Texts kept for a condition: clients choose the columns that an update sets. */
const KEPT_TEXTS = 200;

/** The values that an UPDATE sets; undefined where it computes some. */
function boundValues(statement: Exclude<WriteStatement, InsertStatement>): Binding[] | undefined {
  if (statement.kind !== "update") return [];
  const values: Binding[] = [];
  for (const assignment of statement.set) {
    if ("expression" in assignment) return undefined;
    values.push({ kind: "value", value: assignment.value });
  }
  return values;
}

function render(
  dialect: Dialect,
  statement: Exclude<WriteStatement, InsertStatement>,
  types: WriterOptions["types"],
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
