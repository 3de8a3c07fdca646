/**
 * One of the connections of a pool.
 *
 * @module
 */

import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { ConnectionOptions } from "./connection_options.ts";
import { OpenConnection } from "./open_connection.ts";
import type { BoundStatement, StatementResult } from "./statement_query.ts";
import { isStale } from "./prepared_texts.ts";

/** What becomes of a statement. */
export interface Outcome<T> {
  /** Makes of its result what is wanted. */
  readonly read: (result: StatementResult) => MaybePromise<T>;
  /** Throws what an error of the driver means. */
  readonly failed: (error: unknown) => never;
}

/** Who is told of a session. */
export interface SessionListener {
  /** Nobody uses it any more. */
  readonly onIdle: () => void;
  /** The server cannot run a prepared statement any more. */
  readonly onStale: (sql: string, name: string) => void;
}

/** A connection to the server, which is opened when it is needed, and again when it has broken. */
export class Session {
  /** When it was made, in milliseconds since 1970. */
  readonly since: number = Date.now();
  readonly #options: ConnectionOptions;
  readonly #listener: SessionListener;
  #open: OpenConnection | undefined;
  #opening: Promise<OpenConnection> | undefined;
  #isReserved = false;
  #running = 0;
  #released: (() => void) | undefined;

  /**
   * @param options how to open it
   * @param listener is told of it
   */
  constructor(options: ConnectionOptions, listener: SessionListener) {
    this.#options = options;
    this.#listener = listener;
  }

  /** Whether somebody uses it alone. */
  get isReserved(): boolean {
    return this.#isReserved;
  }

  /** How many statements were sent whose results are not there yet. */
  get running(): number {
    return this.#running;
  }

  /**
   * Runs a statement. One that is prepared and has become stale, which happens when tables change, runs as it is.
   *
   * @param statement the statement
   * @param outcome what becomes of it
   */
  run<T>(statement: BoundStatement, outcome: Outcome<T>): Promise<T> {
    this.#running++;
    return new Promise((resolve, reject) => {
      const done = (error: unknown, result?: StatementResult) => {
        if (--this.#running === 0) this.#listener.onIdle();
        try {
          if (result) resolve(outcome.read(result));
          else if (this.#hasBecomeStale(statement, error)) resolve(this.run(unprepared(statement), outcome));
          else outcome.failed(error);
        } catch (thrown) {
          reject(thrown);
        }
      };
      const open = this.#usable();
      if (open) open.send(statement, done);
      else this.#opened().then((opened) => opened.send(statement, done), done);
    });
  }

  /**
   * Runs a statement for the one who has the connection alone.
   *
   * @param open what `reserve` gave
   * @param statement the statement
   * @param stale is called when it is prepared and has become stale; what it gives is the result
   * @throws what the driver throws
   */
  runAlone(
    open: OpenConnection,
    statement: BoundStatement,
    stale: (statement: BoundStatement, error: unknown) => Promise<StatementResult>,
  ): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      open.send(statement, (error, result) => {
        if (result) return resolve(result);
        const { behind } = statement;
        const isStaleBefore = behind !== undefined && isStale(error);
        if (isStaleBefore) open.forget(behind);
        if (this.#hasBecomeStale(statement, error) || isStaleBefore) resolve(stale(statement, error));
        else reject(error);
      });
    });
  }

  #hasBecomeStale({ name, sql }: BoundStatement, error: unknown): boolean {
    if (name === undefined || !isStale(error)) return false;
    this.#listener.onStale(sql, name);
    return true;
  }

  /**
   * Gives the connection to one who uses it alone, until `release`.
   *
   * @throws what the driver throws when it cannot be opened; it is released then
   */
  async reserve(): Promise<OpenConnection> {
    this.#isReserved = true;
    try {
      return this.#usable() ?? await this.#opened();
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Takes the connection back. */
  release(): void {
    this.#isReserved = false;
    this.#released?.();
    this.#listener.onIdle();
  }

  #usable(): OpenConnection | undefined {
    return this.#open?.hasEnded ? undefined : this.#open;
  }

  #opened(): Promise<OpenConnection> {
    return this.#opening ??= this.#connect().finally(() => this.#opening = undefined);
  }

  async #connect(): Promise<OpenConnection> {
    return this.#open = await OpenConnection.open(this.#options);
  }

  /**
   * Closes the connection when those who use it have ended, or after some time, whatever goes on.
   *
   * @param ms how long one who has it alone may keep it, and then statements may take, in milliseconds
   */
  async close(ms: number): Promise<void> {
    if (this.#isReserved) await this.#given(ms);
    const open = this.#usable() ?? await this.#opening?.catch(() => undefined);
    await open?.close(ms);
  }

  #given(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#released = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function unprepared({ name: _name, ...statement }: BoundStatement): BoundStatement {
  return statement;
}
