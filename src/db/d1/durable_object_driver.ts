/**
 * The SQLite database of a Durable Object: its statements are synchronous.
 *
 * @module
 */

import { boundValue, plainRow, type SqlDriver, type SqlStatement } from "./sql_driver.ts";

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
