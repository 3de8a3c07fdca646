/**
 * A transaction of SQLite.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { JsonRows } from "../../service/database.ts";
import type { CursorOptions } from "../../service/row_cursor.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { pause } from "../../util/time.ts";
import { bindValues, hasOneEach } from "../bind_values.ts";
import {
  countingOf,
  countOf,
  type Driver,
  locksRows,
  type RowsReader,
  type Selection,
  type StatementValues,
} from "../engine/driver.ts";
import { givesRows, onlyReads } from "../sql_name.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import type { Binding } from "../render/binding.ts";
import { renderInsert, renderWrite } from "../render/render_write.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import type { SqlValue } from "../write/sql_value.ts";
import type { Mark, WriteStatement } from "../write/statement_runner.ts";
import type { WriteLock } from "../write_lock.ts";
import type { SqliteConnection } from "./connection.ts";
import type { Snapshots } from "./snapshots.ts";
import { isBusy, readGroups, SqliteCursor, sqliteError } from "./sqlite_cursor.ts";

/** What a transaction takes from its database. */
export interface SqliteHost {
  readonly model: LinkedModel;
  /** The connection for writing; in memory also the one for reading. */
  readonly writer: SqliteConnection;
  /** Who may use it. */
  readonly lock: WriteLock;
  /** Connections for reading; files have them. */
  readonly snapshots: Snapshots | undefined;
  /** Open cursors on the connection for writing. */
  readonly cursors: Set<SqliteCursor>;
}

/** How long a writer waits for those of other processes, and one of this process for another. */
export const LOCK_TIMEOUT_MS = 15_000;
const LONGEST_PAUSE_MS = 50;

const BEGIN = { sql: "BEGIN IMMEDIATE" };
const COMMIT = { sql: "COMMIT" };
const ROLLBACK = { sql: "ROLLBACK" };
const SAVEPOINT = { sql: "SAVEPOINT query" };
const RELEASE = { sql: "RELEASE query" };
const UNDO = { sql: "ROLLBACK TO query" };

/** Rows of an insert that are one statement: for more of them, one statement is slower than one for each. */
const MOST_ROWS = 8;

const TEXT = { payload: true };
const OF_ONE = { isOfOne: true };

type SqliteSelection = Selection<CompiledSelect>;

/**
 * Locks with its first write, or with `forUpdate`; reads before that see what is committed. In a file they see one state,
 * that of the first read; a write, and what is read after it, sees the newest one.
 */
export class SqliteDriver implements Driver<CompiledSelect> {
  readonly #host: SqliteHost;
  #writer: SqliteConnection | undefined;
  #acquiring: Promise<SqliteConnection> | undefined;
  #snapshot: SqliteConnection | undefined;
  /** Whether something was written. */
  #hasChanged = false;
  /** Why the database itself has undone the transaction. */
  #undone: unknown;

  /** @param host the database */
  constructor(host: SqliteHost) {
    this.#host = host;
  }

  read<T>(selection: SqliteSelection, reader: RowsReader<T>): MaybePromise<T> {
    if (locksRows(selection) && !this.#writer) {
      return andThen(this.begin(), () => this.read(selection, reader));
    }
    return this.#reading((connection) => {
      const compiled = chosen(selection.compiled, selection);
      const rows = connection.read(compiled, this.#values(compiled.bindings, selection));
      return reader(rows, countOf(selection, rows, this.#counts(connection, selection)));
    });
  }

  readJson(selection: SqliteSelection): MaybePromise<JsonRows> {
    if (locksRows(selection) && !this.#writer) {
      return andThen(this.begin(), () => this.readJson(selection));
    }
    return this.#reading((connection) => {
      const rows = this.#payload(connection, selection);
      const count = countOf(selection, rows, this.#counts(connection, selection));
      return toJson(rows, { count, one: selection.compiled.one });
    });
  }

  /**
   * In a file the cursor keeps the connection, and with it the state of the data; in memory, whoever begins to write reads
   * the rest of it first.
   */
  openCursor(
    selection: SqliteSelection,
    { asText }: CursorOptions,
  ): MaybePromise<SqliteCursor | undefined> {
    if (this.#writer || this.#acquiring) return undefined;
    const compiled = chosen(selection.compiled, selection);
    return this.#reading((connection) => {
      const counts = this.#counts(connection, selection, true);
      const { snapshots, cursors, model } = this.#host;
      const groups = connection.groups(compiled, this.#values(compiled.bindings, selection), { asText });
      const cursor = new SqliteCursor({
        groups: readGroups(groups, { readers: compiled.readers, model }),
        isText: asText,
        count: counts && countOf(selection, [], counts),
        release: () => {
          cursors.delete(cursor);
          snapshots?.give(connection);
        },
      });
      if (snapshots) snapshots.share(connection);
      else cursors.add(cursor);
      return cursor;
    });
  }

  explain(
    selection: SqliteSelection,
  ): MaybePromise<{ readonly sql: string; readonly plan: readonly string[] }> {
    const { sql, bindings } = chosen(selection.compiled, selection);
    return this.#reading((connection) => {
      const steps = connection.all(`EXPLAIN QUERY PLAN ${sql}`, this.#values(bindings, selection));
      return { sql, plan: indented(steps) };
    });
  }

  begin(): MaybePromise<SqliteConnection> {
    if (this.#writer) return this.#writer;
    this.#assertKept();
    if (this.#acquiring) return this.#acquiring;
    const waiting = this.#host.lock.acquire();
    if (!waiting) return this.#begin();
    return this.#acquiring = waiting.then(() => this.#begin());
  }

  change(statement: WriteStatement, values: StatementValues): number {
    if (statement.kind === "insert") {
      const { into, rows } = statement;
      const isOne = rows.length <= MOST_ROWS;
      const text = renderInsert(SQLITE, into, isOne ? rows.length : 1);
      const all = isOne && rows.length > 1 ? [rows.flat()] : rows;
      this.write((writer) => {
        for (const values of all) writer.execute(text, values);
      });
      return rows.length;
    }
    let rendered = renderWrite(SQLITE, statement);
    if (rendered.comparesAttributes && hasOneEach(rendered.bindings, values)) {
      rendered = renderWrite(SQLITE, statement, OF_ONE);
    }
    const { text, bindings } = rendered;
    return this.write((writer) => writer.change(text, this.#values(bindings, values)));
  }

  sql(text: string, values: readonly SqlValue[]): MaybePromise<unknown> {
    if (onlyReads(text)) return this.#reading((connection) => connection.all(text, values));
    return this.write((writer) =>
      givesRows(text) ? writer.all(text, values) : writer.change({ sql: text }, values)
    );
  }

  mark(): Mark {
    if (!this.#hasChanged) return { release: () => {}, undo: () => this.#beginAnew() };
    this.#writer!.execute(SAVEPOINT, []);
    const release = () => this.#writer?.execute(RELEASE, []);
    return {
      release,
      undo: () => {
        // others write on the connection once it has ended
        if (!this.#writer) return;
        this.#writer.execute(UNDO, []);
        release();
      },
    };
  }

  /** What is marked before the first change needs no savepoint: all there is can be undone. */
  #beginAnew(): void {
    this.#writer?.execute(ROLLBACK, []);
    // whoever undoes something goes on at once
    this.#writer?.waitForOthers(() => this.#writer?.execute(BEGIN, []));
    this.#hasChanged = false;
  }

  commit(): MaybePromise<void> {
    return this.#end(COMMIT);
  }

  rollback(): MaybePromise<void> {
    return this.#end(ROLLBACK);
  }

  /**
   * Runs something on the connection for writing, once the transaction may write.
   *
   * @param run synchronous work
   */
  write<T>(run: (writer: SqliteConnection) => T): T {
    this.#assertKept();
    this.#hasChanged = true;
    return this.#on(this.#writer!, run);
  }

  /** Rows for payloads: their values, or JSON text of those with values that are no values of JavaScript. */
  #payload(connection: SqliteConnection, selection: SqliteSelection): (Row | string)[] {
    const { compile } = selection;
    const compiled = chosen(selection.compiled, selection);
    const rows = compiled.hasValues
      ? connection.readExact(compiled, this.#values(compiled.bindings, selection))
      : undefined;
    if (rows !== undefined) return rows;
    const text = compiled.hasValues ? chosen(compile(TEXT), selection) : compiled;
    return connection.read(text, this.#values(text.bindings, selection)).map(({ json }) => json as string);
  }

  #counts(
    connection: SqliteConnection,
    selection: SqliteSelection,
    isNeeded?: boolean,
  ): readonly Row[] | undefined {
    const counted = countingOf(selection, isNeeded);
    const counting = counted && chosen(counted, selection);
    return counting && connection.read(counting, this.#values(counting.bindings, selection));
  }

  #values(bindings: readonly Binding[], from: StatementValues): SqlValue[] {
    return bindValues(bindings, from).map(wholeAsBigInt);
  }

  /** Reads own changes, or what is committed. */
  #reading<T>(run: (connection: SqliteConnection) => T): MaybePromise<T> {
    this.#assertKept();
    if (this.#writer) return this.#on(this.#writer, run);
    const { snapshots, lock, writer } = this.#host;
    if (this.#acquiring) return this.#acquiring.then((connection) => this.#on(connection, run));
    if (snapshots) return this.#on(this.#snapshot ??= snapshots.take(), run);
    return lock.read(() => this.#on(writer, run));
  }

  #begin(): MaybePromise<SqliteConnection> {
    this.#endSnapshot();
    // a client that reads slowly keeps nobody waiting, and sees nothing of what is written now
    for (const cursor of this.#host.cursors) cursor.drain();
    return this.#lockFile(true) ?? (this.#acquiring = this.#lockFileLater());
  }

  /**
   * Begins to write.
   *
   * @param mayWait whether somebody asks again where another process writes
   * @returns undefined where that is so
   */
  #lockFile(mayWait: boolean): SqliteConnection | undefined {
    const { lock, writer, model } = this.#host;
    try {
      writer.execute(BEGIN, []);
    } catch (error) {
      if (mayWait && isBusy(error)) return undefined;
      lock.release();
      throw sqliteError(error, model);
    }
    return this.#writer = writer;
  }

  /** While another process writes, this one goes on with everything else. */
  async #lockFileLater(): Promise<SqliteConnection> {
    const end = performance.now() + LOCK_TIMEOUT_MS;
    for (let pauseMs = 1;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await pause(pauseMs);
      const found = this.#lockFile(performance.now() < end);
      if (found) return found;
    }
  }

  #endSnapshot(): void {
    if (this.#snapshot) this.#host.snapshots?.give(this.#snapshot);
    this.#snapshot = undefined;
  }

  #end(statement: typeof COMMIT): MaybePromise<void> {
    if (!this.#acquiring || this.#writer) return this.#finish(statement);
    const finish = () => this.#finish(statement);
    return this.#acquiring.then(finish, finish);
  }

  #finish(statement: typeof COMMIT): void {
    this.#endSnapshot();
    const writer = this.#writer;
    if (!writer) return statement === COMMIT ? this.#assertKept() : undefined;
    this.#writer = undefined;
    try {
      this.#on(writer, (connection) => connection.execute(statement, []));
    } catch (error) {
      if (writer.isInTransaction) writer.execute(ROLLBACK, []);
      throw error;
    } finally {
      this.#host.lock.release();
    }
  }

  #assertKept(): void {
    const cause = this.#undone;
    if (!cause) return;
    throw new ServiceError({ status: 503, message: "The database has undone the transaction", cause });
  }

  #on<T>(connection: SqliteConnection, run: (connection: SqliteConnection) => T): T {
    try {
      return run(connection);
    } catch (error) {
      if (this.#writer?.isInTransaction === false) this.#giveUp(error);
      throw sqliteError(error, this.#host.model);
    }
  }

  /** What came behind an error that undoes all writes, as those of a full disk do, would be committed at once. */
  #giveUp(error: unknown): void {
    this.#undone = error;
    this.#acquiring = this.#writer = undefined;
    this.#host.lock.release();
  }
}

/** The steps of a plan, each behind the one that it belongs to. */
function indented(steps: readonly Row[]): readonly string[] {
  const depths = new Map<unknown, number>();
  return steps.map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    return "  ".repeat(depth) + String(detail);
  });
}

/** Attributes of users mostly have one value: membership in a list of it takes twice as long as the rest of a statement. */
function chosen(compiled: CompiledSelect, from: StatementValues): CompiledSelect {
  const { ofOne, bindings } = compiled;
  return ofOne && hasOneEach(bindings, from) ? ofOne() : compiled;
}

/** The driver binds numbers as floating-point ones: `title || 1` would end in `1.0`, large integers lose digits. */
function wholeAsBigInt(value: SqlValue): SqlValue {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value as number) : value;
}

/**
 * JSON of rows.
 *
 * @param rows as values or as JSON text
 * @param options the number of all that match, where it is known; whether one row is asked for
 */
function toJson(
  rows: readonly (Row | string)[],
  { count, one }: { readonly count: number | undefined; readonly one: boolean },
): JsonRows {
  const first = rows[0];
  if (first === undefined) return new JsonRows(one ? "null" : "[]", 0, { count });
  if (one) return new JsonRows(textOf(first), rows.length, { count });
  const json = typeof first === "string" ? `[${rows.join(",")}]` : JSON.stringify(rows);
  return new JsonRows(json, rows.length, { count, last: () => textOf(rows.at(-1)!) });
}

function textOf(row: Row | string): string {
  return typeof row === "string" ? row : JSON.stringify(row);
}
