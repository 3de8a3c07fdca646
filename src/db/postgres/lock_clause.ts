/**
 * `SELECT.forUpdate` and `SELECT.forShareLock` in the SQL of PostgreSQL.
 *
 * @module
 */

import type { SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import { quote } from "../render/render_query.ts";

/** How a query locks its rows. */
export interface RowLock {
  /** What follows the SELECT. */
  readonly clause: string;
  /** Milliseconds to wait for other transactions; undefined: as long as it takes. */
  readonly waitMs: number | undefined;
}

/**
 * The lock a query asks for.
 *
 * @param query the query; rows of groups and sets cannot be locked
 * @param table alias of the table whose rows are locked
 * @returns undefined for a query that locks nothing
 */
export function rowLock(query: SelectQuery | SetQuery, table: string | undefined): RowLock | undefined {
  if (!("SELECT" in query) || table === undefined) return undefined;
  const { forUpdate, forShareLock, groupBy, distinct } = query.SELECT;
  if ((!forUpdate && !forShareLock) || groupBy || distinct) return undefined;
  const { wait } = Object(forUpdate || forShareLock) as { readonly wait?: number };
  const clause = ` FOR ${forUpdate ? "UPDATE" : "SHARE"} OF ${quote(table)}${wait === 0 ? " NOWAIT" : ""}`;
  return { clause, waitMs: wait ? wait * 1000 : undefined };
}
