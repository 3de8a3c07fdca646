/**
 * Entities that groups of `$apply` are related to (Data Aggregation 4.0, 3.2.3.1).
 *
 * @module
 */

import type { QueryParams, Row } from "../../cqn/cqn.ts";
import type { Rows } from "../../service/database.ts";
import type { Exchange } from "../exchange.ts";
import type { GroupExpand } from "../plan/plan.ts";
import { anyOf, conjunction } from "../../cqn/conjunction.ts";
import { assertDatabase, visibleRows } from "./read_request.ts";

/** What is read beside groups. */
export interface RelatedRead {
  readonly groups: readonly GroupExpand[];
  readonly queryParams: QueryParams;
}

/**
 * Groups with the entities that they are related to; null where there is none, or none that the user may see; nothing in
 * groups of levels above, which do not have the key.
 *
 * @param exchange the exchange, inside of its transaction
 * @param rows the groups
 * @param related what is read beside them
 * @throws {ServiceError} 401 or 403 without the role to read them, 501 without a database
 */
export async function withRelated(exchange: Exchange, rows: Rows, related: RelatedRead): Promise<Rows> {
  let all: readonly Row[] = rows;
  for (const group of related.groups) {
    const found = await relatedRows(exchange, all, { ...related, group });
    all = all.map((row) =>
      hasKey(row, group) ? { ...row, [group.name]: found.get(keyText(row, group, "column")) ?? null } : row
    );
  }
  return Object.assign([...all], rows.$count === undefined ? {} : { $count: rows.$count });
}

async function relatedRows(
  exchange: Exchange,
  rows: readonly Row[],
  { group, queryParams }: RelatedRead & { readonly group: GroupExpand },
): Promise<ReadonlyMap<string, Row>> {
  assertDatabase(exchange, "$expand of groups needs");
  const wanted = new Map<string, Row>();
  for (const row of rows) {
    const values = keyValues(row, group, "column");
    const entries = group.keys.map(({ target }, index) => [target, values[index]]);
    if (!values.includes(null)) wanted.set(keyText(row, group, "column"), Object.fromEntries(entries));
  }
  if (wanted.size === 0) return wanted;
  const { SELECT } = group.query;
  const where = conjunction(
    SELECT.where,
    anyOf(group.keys.map(({ target }) => target), [...wanted.values()]),
  );
  const found = await visibleRows(exchange, { SELECT: { ...SELECT, where } }, queryParams);
  return new Map(found.map((row) => [keyText(row, group, "target"), row]));
}

function hasKey({ $part }: Row, { keys }: GroupExpand): boolean {
  return keys.every(({ parts }) => parts?.has(Number($part)) ?? true);
}

function keyText(row: Row, group: GroupExpand, side: "column" | "target"): string {
  const values = keyValues(row, group, side);
  return JSON.stringify(values.map((value) => value === null ? null : String(value)));
}

function keyValues(row: Row, { keys }: GroupExpand, side: "column" | "target"): readonly unknown[] {
  return keys.map((key) => row[key[side]] ?? null);
}
