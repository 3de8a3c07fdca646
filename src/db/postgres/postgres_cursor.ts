/**
 * A cursor of PostgreSQL, on a connection of its own in a transaction that only reads one state of the data.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { CursorRow, EngineCursor } from "../../service/row_cursor.ts";
import { CURSOR_ROWS, cursorClosed } from "../read/cursor_groups.ts";
import { Connection } from "./connection.ts";
import type { Pool } from "./pool.ts";
import type { BoundStatement } from "./statement_query.ts";

/** Rows of the first group, whose size tells how many the next ones have. */
const FIRST_ROWS = 50;
/** Rows of a group at most where they are text: the next ones may be longer. */
const TEXT_ROWS = 1000;
/** Characters of JSON text of a group: the driver copies what comes in parts, and larger groups come in more of them. */
const TEXT_SIZE = 32 * 1024;

/** What a cursor is made from. */
export interface PostgresCursorOptions {
  readonly select: BoundStatement;
  /** Counts the rows ignoring the limit. */
  readonly counting: BoundStatement | undefined;
  /** A row as it is given away. */
  readonly read: (row: Row) => CursorRow;
  readonly isText: boolean;
  /** Tells what an error of the database means. */
  readonly translate: (error: unknown) => unknown;
}

/** Cursors of a database: each keeps a connection, and they may have half of them, so that a slow client stops nobody. */
export class CursorSlots {
  readonly #most: number;
  #open = 0;

  /** @param connections of the pool */
  constructor(connections: number) {
    this.#most = Math.floor(connections / 2);
  }

  /** Takes a slot, if there is one. */
  take(): boolean {
    if (this.#open >= this.#most) return false;
    this.#open++;
    return true;
  }

  /** Gives a slot back. */
  give(): void {
    this.#open--;
  }
}

/** Holds a connection until it is closed or at its end. */
export class PostgresCursor implements EngineCursor {
  readonly isText: boolean;
  readonly count: number | undefined;
  readonly #connection: Connection;
  readonly #options: PostgresCursorOptions;
  readonly #released: () => void;
  #pending: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #rows = FIRST_ROWS;
  #isAtEnd = false;
  #isDetached = false;

  private constructor(
    connection: Connection,
    options: PostgresCursorOptions & { readonly count: number | undefined },
    released: () => void,
  ) {
    this.#connection = connection;
    this.#options = options;
    this.#released = released;
    this.isText = options.isText;
    this.count = options.count;
  }

  /**
   * Opens a cursor.
   *
   * @param pool gives the connection
   * @param options the statement
   * @param released is called once the connection was given back, also where nothing could be opened
   */
  static async open(
    pool: Pool,
    options: PostgresCursorOptions,
    released: () => void,
  ): Promise<PostgresCursor> {
    let connection: Connection | undefined;
    try {
      connection = await Connection.begin(pool, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      const { select, counting } = options;
      const counted = counting && await connection.run(counting);
      const declaration = `DECLARE fw_cursor NO SCROLL CURSOR FOR ${select.sql}`;
      await connection.run({ ...select, sql: declaration, simple: true });
      const count = counted && Number(counted.rows[0]!.count);
      return new PostgresCursor(connection, { ...options, count }, released);
    } catch (error) {
      if (connection) await end(connection, "ROLLBACK");
      released();
      throw options.translate(error);
    }
  }

  /** Whether it outlives the commit of its transaction. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  next(): Promise<readonly CursorRow[]> {
    if (this.#isAtEnd) return Promise.resolve([]);
    if (this.#closing) return Promise.reject(cursorClosed());
    const fetched = this.#fetch();
    this.#pending = fetched.catch(() => undefined);
    return fetched;
  }

  async #fetch(): Promise<readonly CursorRow[]> {
    const asked = this.#rows;
    let found: readonly Row[];
    try {
      ({ rows: found } = await this.#connection.command(`FETCH ${asked} FROM fw_cursor`));
    } catch (error) {
      this.#close("ROLLBACK");
      throw this.#options.translate(error);
    }
    const rows = found.map(this.#options.read);
    this.#isAtEnd = rows.length < asked;
    if (this.#isAtEnd) this.#close("COMMIT");
    else this.#rows = rowsOfGroup(rows);
    return rows;
  }

  detach(): void {
    this.#isDetached = true;
  }

  close(): Promise<void> {
    return this.#close("ROLLBACK");
  }

  #close(statement: "COMMIT" | "ROLLBACK"): Promise<void> {
    return this.#closing ??= this.#pending.then(() => end(this.#connection, statement)).then(this.#released);
  }
}

/** How many rows of their size make a group. */
function rowsOfGroup(rows: readonly CursorRow[]): number {
  const characters = rows.reduce((sum, row) => sum + (typeof row === "string" ? row.length : 0), 0);
  if (characters === 0) return CURSOR_ROWS;
  return Math.min(Math.max(Math.ceil(TEXT_SIZE * rows.length / characters), 1), TEXT_ROWS);
}

/** Ends the transaction of a connection, and gives it back whatever becomes of it. */
async function end(connection: Connection, statement: "COMMIT" | "ROLLBACK"): Promise<void> {
  try {
    await connection.command(statement);
  } catch {
    // the connection is broken; the server has ended the transaction
  } finally {
    connection.release();
  }
}
