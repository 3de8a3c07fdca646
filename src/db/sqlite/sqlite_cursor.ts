/**
 * A cursor of SQLite: a statement that is stepped through as rows are asked for.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { CursorRow, EngineCursor } from "../../service/row_cursor.ts";
import { CURSOR_ROWS, CURSOR_TEXT, cursorClosed } from "../read/cursor_groups.ts";

/** What a cursor is made from. */
export interface SqliteCursorOptions {
  /** The rows of the statement. */
  readonly rows: Iterator<Row, void>;
  /** A row as it is given away. */
  readonly read: (row: Row) => CursorRow;
  readonly isText: boolean;
  readonly count: number | undefined;
  /** Gives back the connection. */
  readonly release: () => void;
}

/** Holds a statement, and the connection it runs on, until it is closed or at its end. */
export class SqliteCursor implements EngineCursor {
  readonly isText: boolean;
  readonly count: number | undefined;
  readonly #read: (row: Row) => CursorRow;
  #rows: Iterator<Row, void> | undefined;
  #release: (() => void) | undefined;
  #isAtEnd = false;
  #isDetached = false;

  /** @param options rows, and how they are given away */
  constructor(options: SqliteCursorOptions) {
    this.isText = options.isText;
    this.count = options.count;
    this.#read = options.read;
    this.#rows = options.rows;
    this.#release = options.release;
  }

  /** Whether it ends with its transaction. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  next(): readonly CursorRow[] {
    const group: CursorRow[] = [];
    let characters = 0;
    while (!this.#isAtEnd && group.length < CURSOR_ROWS && characters < CURSOR_TEXT) {
      if (!this.#rows) throw cursorClosed();
      const { done, value } = this.#rows.next();
      if (done) {
        this.#isAtEnd = true;
        this.close();
        break;
      }
      const row = this.#read(value);
      characters += typeof row === "string" ? row.length : 0;
      group.push(row);
    }
    return group;
  }

  detach(): void {
    this.#isDetached = true;
  }

  /** Reads the rest into memory and gives back the connection: somebody is about to write on it. */
  drain(): void {
    if (!this.#rows || !this.#release) return;
    const rest: Row[] = [];
    try {
      for (let one = this.#rows.next(); !one.done; one = this.#rows.next()) rest.push(one.value);
      this.#end(rest.values());
    } catch (error) {
      this.#end(failing(rest, error));
    }
  }

  close(): void {
    this.#end(undefined);
  }

  #end(rest: Iterator<Row, void> | undefined): void {
    const release = this.#release;
    if (release) this.#rows?.return?.();
    this.#rows = rest;
    this.#release = undefined;
    release?.();
  }
}

/** Rows, and what went wrong behind them. */
function* failing(rows: readonly Row[], error: unknown): Generator<Row, void> {
  yield* rows;
  throw error;
}
