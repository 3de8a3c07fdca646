/**
 * What the database has and the model does not, where it is to stay.
 *
 * @module
 */

import type { ColumnShape, TableShape } from "../ddl/schema_shape.ts";
import { pairByName } from "./diff_schemas.ts";

/**
 * The wanted tables with the columns, and beside the tables, that only the database has. Kept columns no longer refuse
 * null where nothing else gives them a value; key columns cannot be kept.
 *
 * @param before the tables that are there
 * @param after the tables that are wanted
 * @param taken names in lower case that are wanted for something else
 */
export function withSurplus(
  before: readonly TableShape[],
  after: readonly TableShape[],
  taken: ReadonlySet<string>,
): readonly TableShape[] {
  const pairs = pairByName(before, after);
  const kept = new Set(pairs.map(([old]) => old));
  return [
    ...pairs.map(([old, table]) => old ? withColumns(old, table) : table),
    ...before.filter((table) => !kept.has(table) && !taken.has(table.name.toLowerCase())),
  ];
}

function withColumns(before: TableShape, after: TableShape): TableShape {
  const kept = new Set(pairByName(before.columns, after.columns).map(([old]) => old));
  const surplus = before.columns.filter((column) => !kept.has(column) && !before.key?.includes(column.name));
  return surplus.length === 0 ? after : { ...after, columns: [...after.columns, ...surplus.map(relaxed)] };
}

function relaxed({ notNull, ...column }: ColumnShape): ColumnShape {
  return notNull && column.fallback !== undefined ? { ...column, notNull } : column;
}
