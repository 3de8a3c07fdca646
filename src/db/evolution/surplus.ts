/**
 * What the database has and the model does not, where it is to stay.
 *
 * @module
 */

import type { ColumnShape, TableShape } from "../ddl/schema_shape.ts";
import { contentTag } from "../../util/content_tag.ts";
import { pairByName } from "./diff_schemas.ts";

/** What is to stay, and how. */
export interface SurplusOptions {
  /** Names in lower case that are wanted for something else. */
  readonly taken: ReadonlySet<string>;
  /** Whether columns that get another name stay under their old one as well. */
  readonly hasCopies?: boolean;
}

/**
 * The wanted tables with the columns, and beside the tables, that only the database has. Kept columns no longer refuse
 * null where nothing else gives them a value; key columns cannot be kept.
 *
 * @param before the tables that are there
 * @param after the tables that are wanted
 * @param options what stays
 */
export function withSurplus(
  before: readonly TableShape[],
  after: readonly TableShape[],
  { taken, hasCopies = false }: SurplusOptions,
): readonly TableShape[] {
  const pairs = pairByName(before, after);
  const kept = new Set(pairs.map(([old]) => old));
  return [
    ...pairs.map(([old, table]) => old ? withColumns(old, table, hasCopies) : table),
    ...before.filter((table) => !kept.has(table) && !taken.has(table.name.toLowerCase())),
  ];
}

function withColumns(before: TableShape, after: TableShape, hasCopies: boolean): TableShape {
  const pairs = pairByName(before.columns, after.columns);
  const kept = new Set(pairs.map(([old]) => old));
  const renamed = pairs.flatMap(([old, column]) => old && isRenamed(old, column) ? [{ old, column }] : []);
  // a column has one copy: what is two versions old does not run any more
  const copied = new Set(renamed.map(({ old }) => old.name));
  const surplus = before.columns.filter((column) =>
    !kept.has(column) && !before.key?.includes(column.name) && !copied.has(column.copyOf?.column ?? "")
  );
  const copies = hasCopies ? renamed.filter(canBeCopied).map((one) => copyOf(one, after)) : [];
  if (surplus.length === 0 && copies.length === 0 && !before.columns.some(isCopy)) return after;
  // a copy stays one for servers of the version before, too
  const columns = pairs.map(([old, column]) => old && isCopy(old) ? old : column);
  return { ...after, columns: [...columns, ...surplus.map(relaxed), ...copies] };
}

/** A column before and after. */
interface Renamed {
  readonly old: ColumnShape;
  readonly column: ColumnShape;
}

function isRenamed(old: ColumnShape, { name }: ColumnShape): boolean {
  return old.name.toLowerCase() !== name.toLowerCase();
}

function canBeCopied({ old, column }: Renamed): boolean {
  return old.type !== undefined && old.sql === column.sql && old.generated === undefined &&
    column.generated === undefined;
}

function copyOf({ old: { name, sql, type }, column }: Renamed, { name: table }: TableShape): ColumnShape {
  const by = `fw_copy_${contentTag(`${table}.${name}`)}`;
  return { name, sql, type, copyOf: { column: column.name, by } };
}

function isCopy({ copyOf }: ColumnShape): boolean {
  return copyOf !== undefined;
}

function relaxed({ notNull, ...column }: ColumnShape): ColumnShape {
  return notNull && column.fallback !== undefined ? { ...column, notNull } : column;
}
