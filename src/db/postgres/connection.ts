/**
 * A connection that a transaction has for itself.
 *
 * @module
 */

import type { OpenConnection } from "./open_connection.ts";
import type { StatementResult } from "./statement_query.ts";
import type { Pool, Reservation, Statement } from "./pool.ts";
import type { Session } from "./session.ts";

/**
 * A connection that was taken out of the pool, in a transaction. When it breaks, what runs on it fails: another one would
 * know nothing of the transaction.
 */
export class Connection {
  readonly #pool: Pool;
  readonly #session: Session;
  readonly #open: OpenConnection;

  private constructor(pool: Pool, { session, open }: Reservation) {
    this.#pool = pool;
    this.#session = session;
    this.#open = open;
  }

  /**
   * Takes a connection out of the pool, and begins a transaction on it.
   *
   * @param pool the pool
   * @param sql begins the transaction
   * @throws what the driver throws; the connection is given back then
   */
  static async begin(pool: Pool, sql: string): Promise<Connection> {
    const connection = new Connection(pool, await pool.reserve());
    try {
      await connection.command(sql);
      return connection;
    } catch (error) {
      connection.release();
      throw error;
    }
  }

  /**
   * Runs a statement.
   *
   * @param statement the statement
   * @throws what the driver throws
   */
  run(statement: Statement): Promise<StatementResult> {
    return this.#session.runAlone(this.#open, this.#pool.prepared(statement));
  }

  /**
   * Runs a statement without values that is not prepared.
   *
   * @param sql its text
   * @throws what the driver throws
   */
  command(sql: string): Promise<StatementResult> {
    return this.run({ sql, values: [], simple: true });
  }

  /** Gives the connection back. */
  release(): void {
    this.#session.release();
  }
}
