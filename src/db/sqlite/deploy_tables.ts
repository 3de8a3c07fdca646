/**
 * Tables and views of a model in a SQLite database, which may have older ones.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { indexStatements } from "../ddl/index_ddl.ts";
import { type DdlStatement, ddlStatements } from "../ddl/render_ddl.ts";
import { type ColumnDdl, tableColumns } from "../ddl/table_ddl.ts";
import { quote } from "../render/render_query.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import { sqlName } from "../sql_name.ts";
import type { SqliteConnection } from "./connection.ts";

/** How tables are made. */
export interface DeployOptions {
  /** Let the database check foreign keys. */
  readonly foreignKeys: boolean;
}

/**
 * Creates the tables and views of a model. Views are made anew. Tables without rows are made anew if columns differ; to
 * others, columns are added that may be null or have a constant default. Columns the model does not have stay.
 *
 * @param db where a transaction is open
 * @param model the linked model
 * @param options constraints
 * @throws ConfigurationError for a table with rows that cannot be brought to what the model says
 */
export function deployTables(db: SqliteConnection, model: LinkedModel, options: DeployOptions): void {
  const existing = new Map(
    db.all("SELECT name, type FROM sqlite_master", []).map(({ name, type }) => [
      String(name).toLowerCase(),
      { name: String(name), type: String(type) },
    ]),
  );
  const statements = ddlStatements(model, options);
  // Adding columns to tables checks the views that read them, so that these go first.
  for (const { kind, entity } of statements) {
    const old = existing.get(sqlName(entity).toLowerCase());
    if (old?.type === "view") db.change(`DROP VIEW ${quote(old.name)}`, []);
    else if (old && kind === "view") {
      throw notReplaced(entity, "is a table in the database, but a view in the model");
    }
  }
  for (const statement of statements) {
    if (existing.get(sqlName(statement.entity).toLowerCase())?.type === "table") {
      alterTable(db, model, statement);
    } else db.change(statement.sql, []);
  }
  for (const sql of indexStatements(model)) db.change(sql, []);
}

interface TableInfo {
  readonly name: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
}

function alterTable(db: SqliteConnection, model: LinkedModel, { entity, sql }: DdlStatement): void {
  const table = quote(sqlName(entity));
  const infos = db.all(`PRAGMA table_xinfo(${table})`, []) as unknown as readonly TableInfo[];
  const present = new Set(infos.map(({ name }) => name.toLowerCase()));
  const columns = tableColumns(model, entity, SQLITE);
  const missing = columns.filter(({ name }) => !present.has(name.toLowerCase()));
  const wanted = new Set(columns.map(({ name }) => name.toLowerCase()));
  const unfilled = infos.find((info) =>
    info.notnull && info.dflt_value === null && !wanted.has(info.name.toLowerCase())
  );
  if (missing.length === 0 && !unfilled) return;
  if (db.all(`SELECT 1 FROM ${table} LIMIT 1`, []).length === 0) {
    db.change(`DROP TABLE ${table}`, []);
    db.change(sql, []);
    return;
  }
  if (unfilled) {
    throw notReplaced(entity, `needs a value for column "${unfilled.name}", which the model does not have`);
  }
  for (const column of missing) {
    const obstacle = obstacleOf(column);
    if (obstacle) throw notReplaced(entity, `has rows but no column "${column.name}", which ${obstacle}`);
    db.change(`ALTER TABLE ${table} ADD COLUMN ${quote(column.name)} ${column.definition}`, []);
  }
}

/** Why SQLite cannot add a column to a table that has rows. */
function obstacleOf({ flat, definition }: ColumnDdl): string | undefined {
  if (flat.key) return "is part of the key";
  if (flat.element.value && !flat.foreignKey4) return "is calculated on write";
  const fallback = / DEFAULT (\()?/.exec(definition);
  if (fallback?.[1]) return "has a default that is no constant";
  return flat.notNull && !fallback ? "must not be null and has no default" : undefined;
}

function notReplaced(entity: LinkedEntity, reason: string): ConfigurationError {
  return new ConfigurationError(
    `The table of "${entity.name}" ${reason}; change the database by hand, or start with an empty one`,
  );
}
