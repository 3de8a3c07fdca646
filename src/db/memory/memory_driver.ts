/**
 * A transaction of the memory database.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { answerTooLarge } from "../../errors/service_error.ts";
import type { Rows } from "../../service/database.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { bindValues } from "../bind_values.ts";
import {
  type Compiled,
  countingOf,
  countOf,
  type Driver,
  locksRows,
  type Selection,
  type StatementValues,
} from "../engine/driver.ts";
import type { Binding } from "../render/binding.ts";
import { StatementClock } from "../function_values.ts";
import type { Mark, WriteStatement } from "../write/statement_runner.ts";
import type { WriteLock } from "../write_lock.ts";
import type { Catalog } from "./catalog.ts";
import type { CompiledQuery, Run } from "./evaluation.ts";
import { Draft, type Snapshot } from "./tables.ts";
import { writeRows } from "./write_rows.ts";
import type { EngineCursor } from "../../service/row_cursor.ts";
import { CURSOR_ROWS, cursorClosed } from "../read/cursor_groups.ts";

/** Makes rows as they are asked for. */
class MemoryCursor implements EngineCursor {
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

/** A SELECT ready to run in memory. */
export interface MemorySelect extends Compiled {
  readonly evaluate: CompiledQuery;
  /** Parameters that must have values of the elements beside them, whatever rows there are. */
  readonly formed: readonly Binding[];
}

/** What a transaction takes from its database. */
export interface MemoryHost {
  readonly catalog: Catalog;
  /** How long a statement may take. */
  readonly statementMs: number;
  /** Characters that the rows of one answer may have. */
  readonly answerBytes: number;
  /** Who may write. */
  readonly lock: WriteLock;
  /** What is committed. */
  committed: Snapshot;
}

/** Sees one state of the data until it writes, then the newest one with its own changes. */
export class MemoryDriver implements Driver<MemorySelect> {
  readonly #host: MemoryHost;
  #snapshot: Snapshot | undefined;
  #draft: Draft | undefined;
  #drafting: Promise<Draft> | undefined;

  /** @param host the database */
  constructor(host: MemoryHost) {
    this.#host = host;
  }

  get holdsNothing(): boolean {
    return this.#draft === undefined && this.#drafting === undefined;
  }

  read(selection: Selection<MemorySelect>): MaybePromise<Rows | Row | null> {
    if (locksRows(selection) && !this.#draft) {
      return andThen(this.begin(), () => this.read(selection));
    }
    const { compiled } = selection;
    bindValues(compiled.formed, selection);
    const run = this.#reading(selection);
    const rows = compiled.bounded && !compiled.one
      ? this.#boundedRows(compiled, run)
      : compiled.evaluate.rows({}, run);
    return selection.result(rows, countOf(selection, rows, countingOf(selection)?.evaluate.rows({}, run)));
  }

  openCursor(selection: Selection<MemorySelect>): MemoryCursor | undefined {
    if (!this.holdsNothing) return undefined;
    const { evaluate, readers } = selection.compiled;
    const run = this.#reading(selection);
    const counts = countingOf(selection, true)?.evaluate.rows({}, run);
    return new MemoryCursor(evaluate.each({}, run), {
      read: (row) => {
        for (const read of readers) read(row);
      },
      count: counts && countOf(selection, [], counts),
    });
  }

  begin(): MaybePromise<Draft> {
    if (this.#draft) return this.#draft;
    if (this.#drafting) return this.#drafting;
    const waiting = this.#host.lock.acquire();
    if (!waiting) return this.#begin();
    return this.#drafting = waiting.then(() => this.#begin());
  }

  change(statement: WriteStatement, values: StatementValues): number {
    const draft = this.#draft!;
    const { catalog } = this.#host;
    return writeRows(statement, { catalog, draft, run: this.#statement(draft, values) });
  }

  mark(): Mark {
    const draft = this.#draft!;
    const { undo, release } = draft.mark();
    // others see its tables once they are committed
    return { release, undo: () => this.#draft === draft && undo() };
  }

  commit(): MaybePromise<void> {
    return this.#end((draft) => this.#host.committed = draft.toSnapshot());
  }

  rollback(): MaybePromise<void> {
    return this.#end(() => {});
  }

  /** Rows for an answer, as long as there is room for them. */
  #boundedRows({ evaluate }: MemorySelect, run: Run): Row[] {
    const room = new Room(this.#host.answerBytes);
    const rows: Row[] = [];
    for (const row of evaluate.each({}, run)) {
      for (const name in row) room.take(charactersIn(row[name]));
      rows.push(row);
    }
    return rows;
  }

  #reading(values: StatementValues): Run {
    return this.#statement(this.#draft ?? (this.#snapshot ??= this.#host.committed), values);
  }

  #statement(data: Snapshot, { params, context }: StatementValues): Run {
    const clock = new StatementClock(this.#host.statementMs);
    const joined = new Room(this.#host.answerBytes);
    return { params, clock, context, data, memo: new Map(), parsed: new Map(), joined };
  }

  #begin(): Draft {
    return this.#draft = new Draft(this.#host.catalog, this.#host.committed);
  }

  #end(apply: (draft: Draft) => void): MaybePromise<void> {
    const finish = () => {
      if (!this.#draft) return;
      apply(this.#draft);
      this.#draft = undefined;
      this.#host.lock.release();
    };
    if (this.#draft || !this.#drafting) return finish();
    return this.#drafting.then(finish, finish);
  }
}

/** How many characters an answer may have. */
class Room {
  readonly #most: number;
  #left: number;

  constructor(most: number) {
    this.#most = this.#left = most;
  }

  take(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw answerTooLarge(this.#most);
  }
}

/** How many characters a value takes: those of its texts; other values count as one. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== "object" || value === null) return 1;
  let characters = 2;
  for (const member of Object.values(value)) characters += charactersIn(member);
  return characters;
}
