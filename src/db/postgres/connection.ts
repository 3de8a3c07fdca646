/**
 * A connection that a transaction has for itself.
 *
 * @module
 */

import type postgres from "postgres";
import type { Pool, Reservation } from "./pool.ts";

/** Errors after which the server closes the connection, or has closed it. */
const BROKEN = /^(?:CONNECTION_|57P0[1235]$|08)/;

/** What the driver gives of a connection to whoever runs a statement on it (`onexecute`, postgres 3.4). */
interface DriverConnection {
  onclose?: ((error: Error) => void) | null;
}

/**
 * A connection that was taken out of the pool, in a transaction. Once it has broken nothing is sent on it any more, and it
 * is not given back: the driver would write to a socket that is gone, and end the process. It opens such connections
 * again by itself.
 */
export class Connection {
  readonly #pool: Pool;
  readonly #reserved: Reservation;
  #broken: Error | undefined;

  private constructor(pool: Pool, reserved: Reservation) {
    this.#pool = pool;
    this.#reserved = reserved;
  }

  /**
   * Takes a connection out of the pool, and begins a transaction on it.
   *
   * @param pool the pool
   * @param statement begins the transaction
   * @throws what the driver throws; the connection is given back then
   */
  static async begin(pool: Pool, statement: string): Promise<Connection> {
    const connection = new Connection(pool, await pool.reserve());
    const onexecute = (driver: DriverConnection) => {
      driver.onclose = (error) => connection.#broken ??= error;
      return true;
    };
    try {
      // the driver hands the option on, which its types do not know
      await connection.unsafe(statement, [], { onexecute } as postgres.UnsafeQueryOptions);
      return connection;
    } catch (error) {
      connection.release();
      throw error;
    }
  }

  /**
   * Runs a statement.
   *
   * @param sql its text
   * @param values values of its placeholders
   * @param options those of the driver
   */
  async unsafe(
    sql: string,
    values: string[] = [],
    options?: postgres.UnsafeQueryOptions,
  ): Promise<postgres.RowList<postgres.Row[]>> {
    if (this.#broken) throw this.#broken;
    try {
      return await this.#reserved.sql.unsafe(sql, values, options);
    } catch (error) {
      if (error instanceof Error && BROKEN.test((error as { code?: string }).code ?? "")) {
        this.#broken = error;
      }
      throw error;
    }
  }

  /** Gives the connection back. */
  release(): void {
    this.#pool.release(this.#reserved, this.#broken !== undefined);
  }
}
