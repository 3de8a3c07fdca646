/**
 * A transaction of SQLite.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { JsonRows, Rows } from "../../service/database.ts";
import type { CursorOptions } from "../../service/row_cursor.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { pause } from "../../util/time.ts";
import { hasOneEach } from "../bind_values.ts";
import { countOf, type Driver, locksRows, type StatementValues } from "../engine/driver.ts";
import { givesRows, onlyReads } from "../sql_name.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import { renderInsert, renderWrite } from "../render/render_write.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import type { SqlValue } from "../write/sql_value.ts";
import type { InsertStatement, Mark, WriteStatement } from "../write/statement_runner.ts";
import type { WriteLock } from "../write_lock.ts";
import type { SqliteConnection } from "./connection.ts";
import type { Snapshots } from "./snapshots.ts";
import { isBusy, readGroups, SqliteCursor, sqliteError } from "./sqlite_cursor.ts";
import { chosen, countsOn, jsonOn, resultOn, type SqliteSelection, valuesOf } from "./run_selection.ts";

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

const OF_ONE = { isOfOne: true };

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

  read(selection: SqliteSelection): MaybePromise<Rows | Row | null> {
    return this.#select(resultOn, selection);
  }

  readJson(selection: SqliteSelection): MaybePromise<JsonRows> {
    return this.#select(jsonOn, selection);
  }

  #select<T>(
    run: (connection: SqliteConnection, selection: SqliteSelection) => T,
    selection: SqliteSelection,
  ): MaybePromise<T> {
    if (locksRows(selection) && !this.#writer) {
      return andThen(this.begin(), () => this.#select(run, selection));
    }
    const connection = this.#readable();
    if (!connection) return this.#readLater((later) => this.#on(later, () => run(later, selection)));
    try {
      return run(connection, selection);
    } catch (error) {
      throw this.#failed(error);
    }
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
      const counts = countsOn(connection, selection, true);
      const { snapshots, cursors, model } = this.#host;
      const groups = connection.groups(compiled, valuesOf(compiled.bindings, selection), { asText });
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
      const steps = connection.all(`EXPLAIN QUERY PLAN ${sql}`, valuesOf(bindings, selection));
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
    const writer = this.#toWrite();
    try {
      return statement.kind === "insert" ? insertOn(writer, statement) : changeOn(writer, statement, values);
    } catch (error) {
      throw this.#failed(error);
    }
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
    return this.#on(this.#toWrite(), run);
  }

  /** The connection for a change. */
  #toWrite(): SqliteConnection {
    this.#assertKept();
    this.#hasChanged = true;
    return this.#writer!;
  }

  /** Reads own changes, or what is committed. */
  #reading<T>(run: (connection: SqliteConnection) => T): MaybePromise<T> {
    const connection = this.#readable();
    return connection ? this.#on(connection, run) : this.#readLater((later) => this.#on(later, run));
  }

  /** The connection for a read; undefined where it has to wait for one. */
  #readable(): SqliteConnection | undefined {
    this.#assertKept();
    if (this.#writer || this.#acquiring) return this.#writer;
    const { snapshots, lock, writer } = this.#host;
    if (snapshots) return this.#snapshot ??= snapshots.take();
    return lock.isHeld ? undefined : writer;
  }

  /** Reads once the transaction may write, or nobody writes. */
  #readLater<T>(run: (connection: SqliteConnection) => T): MaybePromise<T> {
    const { lock, writer } = this.#host;
    return this.#acquiring ? this.#acquiring.then(run) : lock.read(() => run(writer));
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
      throw this.#failed(error);
    }
  }

  /** What is to be thrown for an error of the database. */
  #failed(error: unknown): unknown {
    if (this.#writer?.isInTransaction === false) this.#giveUp(error);
    return sqliteError(error, this.#host.model);
  }

  /** What came behind an error that undoes all writes, as those of a full disk do, would be committed at once. */
  #giveUp(error: unknown): void {
    this.#undone = error;
    this.#acquiring = this.#writer = undefined;
    this.#host.lock.release();
  }
}

function insertOn(writer: SqliteConnection, { into, rows }: InsertStatement): number {
  const isOne = rows.length <= MOST_ROWS;
  const text = renderInsert(SQLITE, into, isOne ? rows.length : 1);
  const all = isOne && rows.length > 1 ? [rows.flat()] : rows;
  for (const values of all) writer.execute(text, values);
  return rows.length;
}

function changeOn(
  writer: SqliteConnection,
  statement: Exclude<WriteStatement, InsertStatement>,
  values: StatementValues,
): number {
  let rendered = renderWrite(SQLITE, statement);
  if (rendered.comparesAttributes && hasOneEach(rendered.bindings, values)) {
    rendered = renderWrite(SQLITE, statement, OF_ONE);
  }
  return writer.change(rendered.text, valuesOf(rendered.bindings, values));
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
