/**
 * What the engine asks of a SQLite database in which nobody can begin a transaction.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { StatementWatch } from "../../service/database.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { lengthOf, runWatched } from "../engine/watched_statement.ts";
import type { SqlValue } from "../write/sql_value.ts";

/** SQL text and the values of its placeholders. */
export interface SqlStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Runs statements. */
export interface SqlDriver {
  /** Name of the kind of database. */
  readonly kind: string;
  /**
   * Reads rows, all of them of one state of the data.
   *
   * @param statements one or more
   * @returns the rows of each
   */
  read(statements: readonly SqlStatement[]): MaybePromise<readonly Row[][]>;
  /**
   * Runs statements in order: all of them take effect, or none.
   *
   * @param statements one or more
   */
  write(statements: readonly SqlStatement[]): MaybePromise<unknown>;
}

/** A driver whose statements somebody is told of; those that are sent together count as one. */
export function watchedDriver(driver: SqlDriver, watch: StatementWatch): SqlDriver {
  const together = (statements: readonly SqlStatement[]) => ({
    ...{ watch, sql: statements.map(({ sql }) => sql).join("; ") },
    values: statements.flatMap(({ values }) => values),
  });
  return {
    kind: driver.kind,
    read: (statements) =>
      runWatched(
        { ...together(statements), rowsOf: (results: readonly Row[][]) => lengthOf(results.flat()) },
        () => driver.read(statements),
      ),
    write: (statements) => runWatched(together(statements), () => driver.write(statements)),
  };
}

/** What SQLite reads as infinity: JSON has no such number. */
export const INFINITE = "9e999";

/**
 * A value as the platforms bind it.
 *
 * @param value a value; integers that a number cannot hold become text, which columns turn into integers again,
 *   and infinite numbers, which statements cast
 */
export function boundValue(value: SqlValue): string | number | null | ArrayBuffer {
  if (typeof value === "bigint") return value.toString();
  if (value === Infinity || value === -Infinity) return value > 0 ? INFINITE : `-${INFINITE}`;
  return value instanceof Uint8Array ? value.slice().buffer : value;
}

/**
 * A row as engines give it.
 *
 * @param row has bytes as list of numbers (D1) or as `ArrayBuffer` (Durable Objects)
 */
export function plainRow(row: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return new Uint8Array(value as ArrayBuffer | readonly number[]);
}
