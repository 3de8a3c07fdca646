/**
 * Statements that somebody is told of.
 *
 * @module
 */

import type { StatementWatch } from "../../service/database.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";

/** A statement, and whom to tell. */
export interface WatchedStatement<T> {
  readonly watch: StatementWatch;
  readonly sql: string;
  readonly values: readonly unknown[];
  /** How many rows its result stands for, as far as that is known. */
  readonly rowsOf?: (result: T) => number | undefined;
}

/**
 * Runs a statement and tells of it.
 *
 * @param statement the statement
 * @param run runs it
 */
export function runWatched<T>(
  { watch, sql, values, rowsOf }: WatchedStatement<Awaited<T>>,
  run: () => T,
): T {
  const ended = watch(sql, values);
  const succeeded = (result: Awaited<T>): Awaited<T> => {
    ended({ rows: rowsOf?.(result) });
    return result;
  };
  const failed = (error: unknown): never => {
    ended({ error });
    throw error;
  };
  let result: MaybePromise<unknown>;
  try {
    result = run();
  } catch (error) {
    return failed(error);
  }
  // both branches give what `run` gives: a promise, or the value itself
  return (result instanceof Promise
    ? result.then(succeeded, failed)
    : succeeded(result as Awaited<T>)) as unknown as T;
}

/** The number of the rows of a result that is a list of them. */
export function lengthOf(rows: readonly unknown[] | undefined): number | undefined {
  return rows?.length;
}
