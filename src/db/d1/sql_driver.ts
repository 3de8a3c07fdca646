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
function boundValue(value: SqlValue): string | number | null | ArrayBuffer {
  if (typeof value === "bigint") return value.toString();
  if (value === Infinity || value === -Infinity) return value > 0 ? INFINITE : `-${INFINITE}`;
  return value instanceof Uint8Array ? value.slice().buffer : value;
}

/**
 * A row as engines give it.
 *
 * @param row has bytes as list of numbers (D1) or as `ArrayBuffer` (Durable Objects)
 */
function plainRow(row: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return new Uint8Array(value as ArrayBuffer | readonly number[]);
}

/** A prepared statement of D1. */
export interface D1Statement {
  /** Gives values to the placeholders. */
  bind(...values: readonly unknown[]): D1Statement;
}

/** The binding of a D1 database, as Workers get it in `env`: what of it is used. */
export interface D1Binding {
  /** Prepares a statement. */
  prepare(sql: string): D1Statement;
  /** Runs statements in order as one transaction. */
  batch(statements: D1Statement[]): Promise<readonly D1Result[]>;
}

/** The result of one statement of D1. */
export interface D1Result {
  /** Its rows. */
  readonly results?: readonly Readonly<Record<string, unknown>>[];
}

/**
 * A driver for a D1 database.
 *
 * @param binding the database
 */
export function d1Driver(binding: D1Binding): SqlDriver {
  const run = (statements: readonly SqlStatement[]) =>
    binding.batch(statements.map(({ sql, values }) => binding.prepare(sql).bind(...values.map(boundValue))));
  return {
    kind: "d1",
    read: async (statements): Promise<readonly Row[][]> =>
      (await run(statements)).map(({ results = [] }) => results.map(plainRow)),
    write: run,
  };
}

/** The storage of a Durable Object with SQLite, `ctx.storage`: what of it is used. */
export interface DurableObjectStorage {
  /** Its database. */
  readonly sql: {
    /** Runs a statement. */
    exec(sql: string, ...values: readonly unknown[]): {
      /** The rows of the result. */
      toArray(): readonly Readonly<Record<string, unknown>>[];
    };
  };
  /** Runs something synchronous in a transaction, which is rolled back when it throws. */
  transactionSync<T>(run: () => T): T;
}

/**
 * A driver for the database of a Durable Object.
 *
 * @param storage `ctx.storage`
 */
export function durableObjectDriver(storage: DurableObjectStorage): SqlDriver {
  const run = ({ sql, values }: SqlStatement) => storage.sql.exec(sql, ...values.map(boundValue)).toArray();
  return {
    kind: "durable-object",
    read: (statements) => statements.map((statement) => run(statement).map(plainRow)),
    write: (statements) => storage.transactionSync(() => statements.forEach(run)),
  };
}
