/**
 * Changes of tables in SQLite: columns are added, anything else makes a table anew with its rows.
 *
 * @module
 */

import { columnDefinition, type ColumnShape, renderTable } from "../ddl/schema_shape.ts";
import { quote } from "../render/render_query.ts";
import { columnValue } from "./column_value.ts";
import type { ChangeStatements, TableChange } from "./diff_schemas.ts";
import type { Row } from "../../cqn/cqn.ts";
import { DEPLOYED_QUERY, longerQuery, nullQuery, rowsQuery, type TableCatalog } from "./table_catalog.ts";

/** The statements of SQLite. */
export const SQLITE_CHANGES: ChangeStatements = {
  change: changeTable,
  drop: (tables) => tables.map(({ name }) => `DROP TABLE ${quote(name)}`),
};

function changeTable(change: TableChange): readonly string[] {
  const { after, added } = change;
  if (!isAdditionOnly(change)) return rebuild(change);
  return added.map((column) =>
    `ALTER TABLE ${quote(after.name)} ADD COLUMN ${quote(column.name)} ${columnDefinition(column)}`
  );
}

function isAdditionOnly(change: TableChange): boolean {
  const { added, renamed, key, after } = change;
  const isUntouched = [change.dropped, change.changed, change.addedConstraints, change.droppedConstraints]
    .every(({ length }) => length === 0);
  return isUntouched && !renamed && !key &&
    added.every((column) => isAddable(column) && !after.key?.includes(column.name));
}

/** Only constants can be defaults of columns that are added. */
function isAddable({ fallback, notNull, generated }: ColumnShape): boolean {
  if (generated !== undefined || fallback?.startsWith("(")) return false;
  return !notNull || fallback !== undefined;
}

function rebuild({ before, after, changed }: TableChange): readonly string[] {
  const temporary = `fw_new_${after.name}`;
  const changes = new Map(changed.map((change) => [change.after.name, change]));
  const names = new Map(before.columns.map(({ name }) => [name.toLowerCase(), name]));
  const values = after.columns.filter(({ generated }) => generated === undefined).flatMap(({ name }) => {
    const change = changes.get(name);
    const same = names.get(name.toLowerCase());
    if (change) return [[name, columnValue(change)]];
    return same === undefined ? [] : [[name, quote(same)]];
  });
  const copy = `INSERT INTO ${quote(temporary)} (${values.map(([name]) => quote(name!)).join(", ")}) ` +
    `SELECT ${values.map(([, value]) => value).join(", ")} FROM ${quote(before.name)}`;
  return [
    renderTable(after, temporary),
    ...(values.length > 0 ? [copy] : []),
    `DROP TABLE ${quote(before.name)}`,
    `ALTER TABLE ${quote(temporary)} RENAME TO ${quote(after.name)}`,
  ];
}

/**
 * What deploying reads.
 *
 * @param all gives the rows of a query
 */
export function sqliteTables(all: (sql: string) => Promise<readonly Row[]>): Omit<TableCatalog, "run"> {
  return {
    tables: async () =>
      (await all("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')")).map((row) => ({
        name: String(row.name),
        isView: row.type === "view",
      })),
    columns: async (table) =>
      (await all(`PRAGMA table_xinfo(${quote(table)})`)).map((row) => ({
        name: String(row.name),
        sql: String(row.type),
        notNull: row.notnull === 1,
        hasDefault: row.dflt_value !== null,
      })),
    hasRows: async (table) => (await all(rowsQuery(quote(table)))).length > 0,
    hasNull: async (table, column) => (await all(nullQuery(quote(table), quote(column)))).length > 0,
    hasLonger: async (table, column, characters) =>
      (await all(longerQuery(quote(table), quote(column), characters))).length > 0,
    deployed: async () => (await all(DEPLOYED_QUERY))[0]?.model as string | undefined,
  };
}
