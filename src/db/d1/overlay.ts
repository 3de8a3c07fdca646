/**
 * Reading through what a transaction has not yet committed: common table expressions with the names of the tables and
 * views hide these, and add the rows that are pending.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { quote } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import type { PendingTable } from "./pending_rows.ts";
import type { SqlStatement } from "./sql_driver.ts";
import { columnText } from "./stored_columns.ts";

/** Bytes of one bound value: the platforms take two million. */
const VALUE_BYTES = 1_900_000;

/** A view, with the names of what its query may read in the text. */
export interface OverlaidView {
  readonly name: string;
  readonly select: string;
}

/**
 * A statement that sees what is pending.
 *
 * @param statement reads
 * @param pending the rows of tables
 * @param views all views, each after what it reads
 * @throws ServiceError 413 where the rows are too large to be sent along
 */
export function throughPending(
  { sql, values }: SqlStatement,
  pending: readonly PendingTable[],
  views: readonly OverlaidView[],
): SqlStatement {
  const hidden = new Map(pending.map((table) => [quote(sqlName(table.table.entity)), table]));
  const stale = new Set(hidden.keys());
  for (const { name, select } of views) {
    if ([...stale].some((other) => select.includes(other))) stale.add(quote(name));
  }
  const needed = neededNames(sql, views, stale);
  if (needed.size === 0) return { sql, values };
  const parts: string[] = [];
  const bound: string[] = [];
  for (const [name, table] of hidden) {
    if (!needed.has(name)) continue;
    parts.push(...tableText(name, table));
    bound.push(rowsJson(table));
  }
  for (const { name, select } of views) {
    if (needed.has(quote(name))) parts.push(`${quote(name)} AS (${select})`);
  }
  const rest = /^\s*with(\s+recursive)?\b/i.exec(sql);
  const text = rest ? `, ${sql.slice(rest[0].length)}` : ` ${sql}`;
  return { sql: `WITH ${rest?.[1] ?? ""} ${parts.join(", ")}${text}`, values: [...bound, ...values] };
}

/** The stale names that a text reads, those of views among them. */
function neededNames(
  sql: string,
  views: readonly OverlaidView[],
  stale: ReadonlySet<string>,
): ReadonlySet<string> {
  const needed = new Set<string>();
  const visit = (text: string) => {
    for (const name of stale) {
      if (needed.has(name) || !text.includes(name)) continue;
      needed.add(name);
      const view = views.find((one) => quote(one.name) === name);
      if (view) visit(view.select);
    }
  };
  visit(sql);
  return needed;
}

function rowsJson({ rows }: PendingTable): string {
  const json = JSON.stringify(rows.map(({ key, values }) => ({ k: key, r: values })));
  if (json.length > VALUE_BYTES) {
    const message = "The transaction has written too much to read through it before it is committed";
    throw new ServiceError({ status: 413, message });
  }
  return json;
}

/** The committed rows that are not touched, then those that are. */
function tableText(name: string, { table }: PendingTable): string[] {
  const { stored, generated, keys } = table;
  const rows = quote(`${sqlName(table.entity)}$rows`);
  const names = [...stored, ...generated].map((column) => `${quote(column.name)} AS ${quote(column.name)}`)
    .join(", ");
  const given = stored.map((column, at) =>
    `${columnText(column, `"v" ->> '$.r[${at}]'`)} AS ${quote(column.name)}`
  );
  const all = [
    ...stored.map((column) => quote(column.name)),
    ...generated.map((column) => `(${column.generated}) AS ${quote(column.name)}`),
  ];
  const columns = keys.map((at) => quote(stored[at].name)).join(", ");
  const touched = keys.map((at, index) => columnText(stored[at], `"v" ->> '$.k[${index}]'`)).join(", ");
  const untouched = ` WHERE (${columns}) NOT IN (SELECT ${touched} FROM ${rows})`;
  const there = `json_type("v", '$.r') = 'array'`;
  return [
    `${rows}("v") AS (SELECT value FROM json_each(?))`,
    `${name} AS (SELECT ${names} FROM main.${name}${untouched} UNION ALL SELECT ${all.join(", ")} ` +
    `FROM (SELECT ${given.join(", ")} FROM ${rows} WHERE ${there}) AS ${name})`,
  ];
}
