/**
 * A cursor of the memory engine, over one state of the data that stays as it is.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { EngineCursor } from "../../service/row_cursor.ts";
import { CURSOR_ROWS, cursorClosed } from "../read/cursor_groups.ts";

/** Makes rows as they are asked for. */
export class MemoryCursor implements EngineCursor {
  readonly isText = false;
  readonly count: number | undefined;
  readonly #read: (row: Row) => void;
  #rows: Iterator<Row> | undefined;
  #isAtEnd = false;
  #isDetached = false;

  /**
   * @param rows the rows
   * @param options `read` completes a row; `count`: the number of rows ignoring the limit
   */
  constructor(
    rows: Iterable<Row>,
    options: { readonly read: (row: Row) => void; readonly count: number | undefined },
  ) {
    this.#rows = rows[Symbol.iterator]();
    this.#read = options.read;
    this.count = options.count;
  }

  /** Whether it outlives the commit of its transaction. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  next(): readonly Row[] {
    const group: Row[] = [];
    while (!this.#isAtEnd && group.length < CURSOR_ROWS) {
      if (!this.#rows) throw cursorClosed();
      const { done, value } = this.#rows.next();
      this.#isAtEnd = done === true;
      if (done) break;
      this.#read(value);
      group.push(value);
    }
    return group;
  }

  detach(): void {
    this.#isDetached = true;
  }

  close(): void {
    this.#rows = undefined;
  }
}
