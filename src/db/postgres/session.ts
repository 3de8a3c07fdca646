/**
 * One of the connections of a pool.
 *
 * @module
 */

import type postgres from "postgres";
import type { Row } from "../../cqn/cqn.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { SqlValue } from "../write/sql_value.ts";
import type { ResultColumn } from "./payload_row.ts";

/** A statement and the values of its placeholders. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Rows with their columns, and the number of rows that a statement changed. */
export type StatementResult = Row[] & { readonly count: number; readonly columns: readonly ResultColumn[] };

/** What becomes of a statement. */
export interface Outcome<T> {
  /** Makes of its result what is wanted. */
  readonly read: (result: StatementResult) => MaybePromise<T>;
  /** Throws what an error of the driver means. */
  readonly failed: (error: unknown) => never;
}

/**
 * A connection to the server. The driver opens it when it is needed, and again when it has broken, and sends statements
 * without waiting for the results of those before.
 */
export class Session {
  /** Nobody else may use it. */
  isReserved = false;
  readonly #driver: postgres.Sql;
  readonly #onIdle: () => void;
  #running = 0;

  /**
   * @param driver with one connection
   * @param onIdle is called when the results of all statements are there
   */
  constructor(driver: postgres.Sql, onIdle: () => void) {
    this.#driver = driver;
    this.#onIdle = onIdle;
  }

  /** How many statements were sent whose results are not there yet. */
  get running(): number {
    return this.#running;
  }

  /**
   * Runs a statement.
   *
   * @param statement the statement
   * @param options those of the driver
   * @param outcome what becomes of it
   */
  run<T>(
    { sql, values }: BoundStatement,
    options: postgres.UnsafeQueryOptions,
    { read, failed }: Outcome<T>,
  ): Promise<T> {
    this.#running++;
    // the driver knows values of all types that `sqlValue` gives
    return this.#driver.unsafe(sql, values as string[], options).then(
      (result) => {
        this.#settled();
        return read(result as unknown as StatementResult);
      },
      (error) => {
        this.#settled();
        return failed(error);
      },
    );
  }

  #settled(): void {
    if (--this.#running === 0) this.#onIdle();
  }

  /** Gives the connection to one who runs statements on it alone, behind those that were sent. */
  reserve(): Promise<postgres.ReservedSql> {
    return this.#driver.reserve();
  }

  /**
   * Closes the connection for ever.
   *
   * @param seconds how long statements may still take
   */
  end(seconds: number): Promise<void> {
    return this.#driver.end({ timeout: seconds });
  }
}
