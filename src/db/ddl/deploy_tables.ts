/**
 * Tables and views of a model in a database, which may have older ones.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { quote } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import { indexStatements } from "./index_ddl.ts";
import { type DdlStatement, ddlStatements } from "./render_ddl.ts";
import { type ColumnDdl, tableColumns, type TableOptions } from "./table_ddl.ts";

/** A table or view that is there. */
export interface ExistingTable {
  readonly name: string;
  readonly isView: boolean;
}

/** A column that is there. */
export interface ExistingColumn {
  readonly name: string;
  readonly notNull: boolean;
  readonly hasDefault: boolean;
}

/** What deploying needs from a database, inside one transaction. */
export interface TableCatalog {
  /** All tables and views. */
  tables(): Promise<readonly ExistingTable[]>;
  /** The columns of a table. */
  columns(table: string): Promise<readonly ExistingColumn[]>;
  /** Whether a table has rows. */
  hasRows(table: string): Promise<boolean>;
  /** Runs a statement. */
  run(sql: string): Promise<unknown>;
}

/**
 * Creates the tables and views of a model. Views are made anew. Tables without rows are made anew if columns differ; to
 * others, columns are added that may be null or have a constant default. Columns the model does not have stay.
 *
 * @param catalog the database
 * @param model the linked model
 * @param options dialect and constraints
 * @throws ConfigurationError for a table with rows that cannot be brought to what the model says
 */
export async function deployTables(
  catalog: TableCatalog,
  model: LinkedModel,
  options: TableOptions,
): Promise<void> {
  const existing = new Map((await catalog.tables()).map((table) => [table.name.toLowerCase(), table]));
  const statements = ddlStatements(model, options);
  const views = [];
  // Adding columns to tables checks the views that read them, so that these go first.
  for (const { kind, entity } of statements) {
    const old = existing.get(sqlName(entity).toLowerCase());
    if (old?.isView) views.push(old);
    else if (old && kind === "view") {
      throw notReplaced(entity, "is a table in the database, but a view in the model");
    }
  }
  // what reads others goes before them
  for (const { name } of views.toReversed()) await catalog.run(`DROP VIEW ${quote(name)}`);
  for (const statement of statements) {
    const old = existing.get(sqlName(statement.entity).toLowerCase());
    if (old && !old.isView) await alterTable(catalog, { model, statement, options });
    else await catalog.run(statement.sql);
  }
  for (const sql of indexStatements(model)) await catalog.run(sql);
}

interface TableChange {
  readonly model: LinkedModel;
  readonly statement: DdlStatement;
  readonly options: TableOptions;
}

async function alterTable(
  catalog: TableCatalog,
  { model, statement: { entity, sql }, options }: TableChange,
): Promise<void> {
  const table = sqlName(entity);
  const existing = await catalog.columns(table);
  const present = new Set(existing.map(({ name }) => name.toLowerCase()));
  const columns = tableColumns(model, entity, options.dialect);
  const missing = columns.filter(({ name }) => !present.has(name.toLowerCase()));
  const wanted = new Set(columns.map(({ name }) => name.toLowerCase()));
  const unfilled = existing.find(({ name, notNull, hasDefault }) =>
    notNull && !hasDefault && !wanted.has(name.toLowerCase())
  );
  if (missing.length === 0 && !unfilled) return;
  if (!await catalog.hasRows(table)) {
    await catalog.run(`DROP TABLE ${quote(table)}`);
    await catalog.run(sql);
    return;
  }
  if (unfilled) {
    throw notReplaced(entity, `needs a value for column "${unfilled.name}", which the model does not have`);
  }
  for (const column of missing) {
    const obstacle = obstacleOf(column);
    if (obstacle) throw notReplaced(entity, `has rows but no column "${column.name}", which ${obstacle}`);
    await catalog.run(`ALTER TABLE ${quote(table)} ADD COLUMN ${quote(column.name)} ${column.definition}`);
  }
}

/** Why a column cannot be added to a table that has rows. */
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
