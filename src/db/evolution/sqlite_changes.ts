/**
 * Changes of tables in SQLite: columns are added, anything else makes a table anew with its rows.
 *
 * @module
 */

import { columnDefinition, type ColumnShape, renderTable } from "../ddl/schema_shape.ts";
import { quote } from "../render/render_query.ts";
import { columnValue } from "./column_value.ts";
import type { ChangeStatements, TableChange } from "./diff_schemas.ts";

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
