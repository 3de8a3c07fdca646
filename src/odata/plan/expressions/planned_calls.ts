/**
 * The functions that are called before the query of a URL runs, and the rows that they are called for.
 *
 * @module
 */

import type { SelectQuery } from "../../../cqn/cqn.ts";
import type { Bindings, CallTemplate } from "../shapes/bindings.ts";
import type { RowCall } from "../plan.ts";
import { assertSize } from "../options/query_size.ts";
import { reachedRows } from "./reached_rows.ts";

/** The rows that the query of a URL reads. */
export interface QueriedRows {
  readonly query: SelectQuery | undefined;
  /** Identifies the rows. */
  readonly row: object;
  /** Whether they are the rows of `$apply`. */
  readonly isApplied: boolean;
}

/**
 * The calls in their order: first those that are the same for all rows.
 *
 * @param bindings has all calls
 * @param reads the rows of the URL
 * @throws {ServiceError} 400 if the query for the rows is too large
 */
export function plannedCalls(bindings: Bindings, reads: QueriedRows): readonly CallTemplate<RowCall>[] {
  const params = new Set(bindings.calls.filter(({ rows }) => rows).map(({ param }) => param));
  const reached = reads.query && !reads.isApplied ? reachedRows(reads.query, params) : undefined;
  const calls = bindings.calls.map(({ rows: values, ...call }): CallTemplate<RowCall> => {
    if (!values) return call;
    const rows = values.planned(values.row === reads.row ? reached : undefined);
    assertSize([rows.query], bindings.limits.queryNodes);
    return { ...call, rows };
  });
  return [...calls.filter(({ rows }) => !rows), ...calls.filter(({ rows }) => rows)];
}
