import { columnDefinition, type ColumnShape, DEFAULT_LENGTH, renderTable } from "../ddl/schema_shape.ts";
import { quote } from "../render/render_query.ts";
import type { ChangeStatements, ColumnChange, TableChange } from "./diff_schemas.ts";
import type { Row } from "../../cqn/cqn.ts";
import { rowProbes, type TableCatalog } from "./table_catalog.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";

/** The statements of SQLite. */
export const SQLITE_CHANGES: ChangeStatements = {
  change: changeTable,
  drop: (tables) => tables.map(({ name }) => `DROP TABLE ${quote(name)}`),
  fits: (there, wanted) => {
    const [before, after] = [affinity(there), affinity(wanted)];
    // dates and times are texts that do not look like numbers
    return before === after || before === "none" || after === "none" || /DATE|TIME/i.test(there);
  },
};

/** What becomes of values in a column of a type: numbers get texts, texts get numbers, or nothing. */
function affinity(sql: string): "text" | "number" | "none" {
  if (/INT/i.test(sql)) return "number";
  if (/CHAR|CLOB|TEXT/i.test(sql)) return "text";
  return sql === "" || /BLOB/i.test(sql) ? "none" : "number";
}

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
    ...rowProbes(all),
  };
}

/**
 * The value that a changed column gets, over the columns as they were.
 *
 * @param change the change
 * @returns SQL
 */
export function columnValue({ before, after, type, refusesNull }: ColumnChange): string {
  const given = quote(before.name);
  const converted = type === "other" ? convert(given, before, after) : given;
  return refusesNull && after.fallback !== undefined
    ? `COALESCE(${converted}, ${after.fallback})`
    : converted;
}

/** Numbers become other numbers; everything else goes by its text. */
function convert(value: string, before: ColumnShape, { sql, type }: ColumnShape): string {
  const text = `CAST(${value} AS TEXT)`;
  if (type?.builtin === "cds.String") return `substr(${text}, 1, ${type.length ?? DEFAULT_LENGTH})`;
  const isNumber = NUMBER_TYPES.has(before.type?.builtin) && NUMBER_TYPES.has(type?.builtin);
  return `CAST(${isNumber ? value : text} AS ${sql.replace(/ COLLATE .*$/, "")})`;
}
