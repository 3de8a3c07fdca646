/**
 * A connection that a transaction has for itself.
 *
 * @module
 */

import type { OpenConnection } from "./open_connection.ts";
import { StaleStatementError } from "./prepared_texts.ts";
import type { BoundStatement, StatementResult } from "./statement_query.ts";
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
  /** Begins the transaction; text and name. */
  readonly #begin: string;
  /** Whether the first statement is still to begin it: that takes no way to the server and back of its own. */
  #isToBegin: boolean;
  /** How many statements were sent since. */
  #sent = 0;

  private constructor(pool: Pool, { session, open }: Reservation, begin: string) {
    this.#pool = pool;
    this.#begin = begin;
    this.#session = session;
    this.#open = open;
    this.#isToBegin = pool.before !== undefined || open.hasPrepared(begin);
  }

  /**
   * Takes a connection out of the pool, and begins a transaction on it: at the latest with its first statement.
   *
   * @param pool the pool
   * @param sql begins the transaction
   * @throws what the driver throws; the connection is given back then
   */
  static async begin(pool: Pool, sql: string): Promise<Connection> {
    const connection = new Connection(pool, await pool.reserve(), sql);
    if (connection.#isToBegin) return connection;
    try {
      await connection.#send({ sql, values: [], name: sql });
      connection.#sent = 0;
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
   * @throws StaleStatementError when tables have changed since it was prepared and others ran before it
   */
  run(statement: Statement): Promise<StatementResult> {
    const prepared = this.#pool.prepared(statement);
    if (!this.#isToBegin) return this.#send(prepared);
    this.#isToBegin = false;
    const { before } = this.#pool;
    return this.#send(
      before ? { ...prepared, before: [this.#begin, ...before] } : { ...prepared, behind: this.#begin },
    );
  }

  #send(statement: BoundStatement): Promise<StatementResult> {
    this.#sent++;
    return this.#session.runAlone(this.#open, statement, this.#stale);
  }

  /** What has become stale ends the transaction, which begins anew where it was all that ran. */
  readonly #stale = async (
    { name: _name, ...statement }: BoundStatement,
    error: unknown,
  ): Promise<StatementResult> => {
    if (this.#sent > 1) throw new StaleStatementError(error);
    const [, , result] = await Promise.all([
      this.command("ROLLBACK"),
      this.command(this.#begin),
      this.run({ ...statement, simple: true }),
    ]);
    return result;
  };

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
