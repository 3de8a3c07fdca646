/**
 * A cursor of SQLite: a statement that is stepped through as rows are asked for.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { CursorRow, EngineCursor } from "../../service/row_cursor.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import { cursorClosed } from "../read/cursor_groups.ts";
import { sqliteError } from "./sqlite_error.ts";

/** What a cursor is made from. */
export interface SqliteCursorOptions {
  /** The rows of the statement, as they are given away. */
  readonly groups: Iterator<readonly CursorRow[], void>;
  readonly isText: boolean;
  readonly count: number | undefined;
  /** Gives back the connection. */
  readonly release: () => void;
}

/** Holds a statement, and the connection it runs on, until it is closed or at its end. */
export class SqliteCursor implements EngineCursor {
  readonly isText: boolean;
  readonly count: number | undefined;
  #groups: Iterator<readonly CursorRow[], void> | undefined;
  #release: (() => void) | undefined;
  #isAtEnd = false;
  #isDetached = false;

  /** @param options rows, and how they are given away */
  constructor(options: SqliteCursorOptions) {
    this.isText = options.isText;
    this.count = options.count;
    this.#groups = options.groups;
    this.#release = options.release;
  }

  /** Whether it ends with its transaction. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  next(): readonly CursorRow[] {
    if (this.#isAtEnd) return [];
    if (!this.#groups) throw cursorClosed();
    const { done, value } = this.#groups.next();
    if (!done) return value;
    this.#isAtEnd = true;
    this.close();
    return [];
  }

  detach(): void {
    this.#isDetached = true;
  }

  /** Reads the rest into memory and gives back the connection: somebody is about to write on it. */
  drain(): void {
    if (!this.#groups || !this.#release) return;
    const rest: (readonly CursorRow[])[] = [];
    try {
      for (let one = this.#groups.next(); !one.done; one = this.#groups.next()) rest.push(one.value);
      this.#end(rest.values());
    } catch (error) {
      this.#end(failing(rest, error));
    }
  }

  close(): void {
    this.#end(undefined);
  }

  #end(rest: Iterator<readonly CursorRow[], void> | undefined): void {
    const release = this.#release;
    if (release) this.#groups?.return?.();
    this.#groups = rest;
    this.#release = undefined;
    release?.();
  }
}

/** Groups of rows, and what went wrong behind them. */
function* failing(
  groups: readonly (readonly CursorRow[])[],
  error: unknown,
): Generator<readonly CursorRow[], void> {
  yield* groups;
  throw error;
}

/**
 * Groups of rows as handlers expect them: rows of the driver have no prototype.
 *
 * @param groups as the driver gives them
 * @param given what becomes of a row, and the model whose names errors have
 */
export function* readGroups(
  groups: Generator<readonly CursorRow[], void>,
  { readers, model }: { readonly readers: CompiledSelect["readers"]; readonly model: LinkedModel },
): Generator<readonly CursorRow[], void> {
  const read = (found: Row): Row => {
    const row = { ...found };
    for (const one of readers) one(row);
    return row;
  };
  try {
    for (const group of groups) yield group.map((row) => typeof row === "string" ? row : read(row));
  } catch (error) {
    throw sqliteError(error, model);
  }
}
