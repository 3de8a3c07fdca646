/**
 * Rows by the value of a column.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { Restriction } from "./evaluation.ts";
import { lookupKey } from "./values.ts";

const indexes: WeakMap<readonly Row[], Map<string, Map<string, Row[]>>> = new WeakMap();

/**
 * Rows with a value in a column; the index is made on first use.
 *
 * @param rows a list that does not change
 * @param restriction column and value
 */
export function lookup(rows: readonly Row[], { column, value }: Restriction): readonly Row[] {
  let byColumn = indexes.get(rows);
  if (!byColumn) indexes.set(rows, byColumn = new Map());
  let index = byColumn.get(column);
  if (!index) {
    byColumn.set(column, index = new Map());
    for (const row of rows) {
      const member = row[column];
      if (member === null || member === undefined) continue;
      const key = lookupKey(member);
      const list = index.get(key);
      if (list) list.push(row);
      else index.set(key, [row]);
    }
  }
  return value === null ? [] : index.get(lookupKey(value)) ?? [];
}
