/**
 * D1: statements go to the database one by one or as a batch, which is one transaction.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { boundValue, plainRow, type SqlDriver, type SqlStatement } from "./sql_driver.ts";

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
