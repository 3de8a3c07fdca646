/**
 * A transaction of SQLite.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Query, QueryParams, Row, SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { DatabaseTransaction, JsonRows, QueryResult, Rows } from "../../service/database.ts";
import type { CursorOptions } from "../../service/row_cursor.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { Turns } from "../../util/turns.ts";
import { bindValues } from "../bind_values.ts";
import { givesRows, onlyReads } from "../plain_sql.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import { isLocalized, type QueryVariant } from "../read/compiled_queries.ts";
import type { QueriesByModel } from "../read/queries_by_model.ts";
import type { Binding } from "../render/binding.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import { renderInsert, renderWrite } from "../render/render_write.ts";
import { queriesOf, type TransactionPart } from "../transaction_part.ts";
import { insertNumbered } from "../write/insert.ts";
import { runWrite } from "../write/run_write.ts";
import { type SqlValue, sqlValue } from "../write/sql_value.ts";
import type { Mark, StatementRunner } from "../write/statement_runner.ts";
import type { InsertStatement, WriteStatement } from "../write/write_statement.ts";
import type { WriteLock } from "../write_lock.ts";
import type { SqliteConnection } from "./connection.ts";
import { savepoint } from "./savepoint.ts";
import type { Snapshots } from "./snapshots.ts";
import { readGroups, SqliteCursor } from "./sqlite_cursor.ts";
import { type FoundRows, toJson, toJsonLater } from "./to_json.ts";
import { entitiesInSql } from "../entities_in_sql.ts";
import { sqliteError } from "./sqlite_error.ts";

/** What a transaction takes from its database. */
export interface SqliteHost extends QueriesByModel<CompiledSelect> {
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

const BEGIN = { sql: "BEGIN IMMEDIATE" };
const COMMIT = { sql: "COMMIT" };
const ROLLBACK = { sql: "ROLLBACK" };

/** Ways in which queries for payloads are compiled. */
const VALUES = { payload: true, values: true };
const TEXT = { payload: true };

/** A query, the values of its parameters, and what is to be found by it. */
interface Selection {
  readonly query: SelectQuery | SetQuery;
  readonly params: QueryParams;
  readonly compiled: CompiledSelect;
  /** Rows as payloads have them, or as JSON text. */
  readonly isPayload: boolean;
}

/** What all parts of a transaction share. */
interface TransactionState {
  writer?: SqliteConnection;
  acquiring?: Promise<SqliteConnection>;
  snapshot?: SqliteConnection;
  cursors?: SqliteCursor[];
  /** Queries that write run one after the other. */
  readonly turns: Turns;
  /** Why the database itself has undone it. */
  undone?: unknown;
  ended: boolean;
}

/**
 * Locks with its first write, or with `forUpdate`; reads before that see what is committed. In a file they see one state,
 * that of the first read; a write, and what is read after it, sees the newest one.
 */
export class SqliteTransaction implements DatabaseTransaction, StatementRunner {
  readonly model: LinkedModel;
  readonly context: EventContext;
  readonly #host: SqliteHost;
  readonly #state: TransactionState;
  readonly #queries: SqliteHost["compiled"];

  /**
   * @param host the database
   * @param context gives user, locale and time
   * @param part the transaction this one is a part of
   */
  constructor(host: SqliteHost, context: EventContext, part: TransactionPart<TransactionState> = {}) {
    this.#host = host;
    this.model = host.model;
    this.context = context;
    this.#state = part.state ?? { turns: new Turns(), ended: false };
    this.#queries = queriesOf(host, context, part);
  }

  /** The same transaction for statements of another context. */
  within(context: EventContext): SqliteTransaction {
    if (context === this.context) return this;
    return new SqliteTransaction(this.#host, context, { state: this.#state });
  }

  /** Runs a query. */
  run(query: Query, params: QueryParams = {}): MaybePromise<QueryResult> {
    this.#assertOpen();
    return "SELECT" in query || "SET" in query ? this.#read(query, params) : this.#write(query, params);
  }

  #write(query: Exclude<Query, SelectQuery | SetQuery>, params: QueryParams): MaybePromise<QueryResult> {
    return this.#state.turns.take(() => {
      const writer = this.#state.writer ?? this.#acquired();
      return andThen(writer, () => runWrite(this.#forWriting(), query, params));
    });
  }

  /** Writes fill and follow all there is, also what the context does not see. */
  #forWriting(): SqliteTransaction {
    if (this.#queries === this.#host.compiled) return this;
    return new SqliteTransaction(this.#host, this.context, { state: this.#state, sees: "all" });
  }

  /** Runs a SELECT whose rows the database writes as JSON text. */
  readJson(query: SelectQuery, params: QueryParams = {}): MaybePromise<JsonRows> {
    this.#assertOpen();
    const compiled = this.#compile(query, VALUES);
    const found = this.#fetch({ query, params, compiled, isPayload: true });
    return found instanceof Promise ? toJsonLater(found, compiled.one) : toJson(found, compiled.one);
  }

  /** Rows for payloads: their values, or JSON text of those with values that are no values of JavaScript. */
  #payload(connection: SqliteConnection, { query, params, compiled }: Selection): (Row | string)[] {
    const rows = compiled.hasValues
      ? connection.readExact(compiled, this.#values(compiled.bindings, params))
      : undefined;
    if (rows !== undefined) return rows;
    const text = compiled.hasValues ? this.#compile(query, TEXT) : compiled;
    return connection.read(text, this.#values(text.bindings, params)).map(({ json }) => json as string);
  }

  /**
   * Runs a SELECT whose rows are taken one group after the other. In a file the cursor keeps the connection, and with it the
   * state of the data; in memory, whoever begins to write reads the rest of it first.
   */
  openCursor(
    query: SelectQuery,
    params: QueryParams = {},
    { asText }: CursorOptions,
  ): MaybePromise<SqliteCursor | undefined> {
    this.#assertOpen();
    const { forUpdate, forShareLock, count } = query.SELECT;
    if (this.#state.writer || this.#state.acquiring || forUpdate || forShareLock) return undefined;
    const compiled = this.#compile(query, asText ? TEXT : undefined);
    if (compiled.one) return undefined;
    return this.#reading((connection) => {
      const total = count ? this.#count(connection, query, params) : undefined;
      const { snapshots, cursors } = this.#host;
      const cursor = new SqliteCursor({
        groups: readGroups(
          connection.groups(compiled, this.#values(compiled.bindings, params), { asText }),
          { readers: compiled.readers, model: this.model },
        ),
        isText: asText,
        count: total,
        release: () => {
          cursors.delete(cursor);
          snapshots?.give(connection);
        },
      });
      if (snapshots) snapshots.share(connection);
      else cursors.add(cursor);
      (this.#state.cursors ??= []).push(cursor);
      return cursor;
    });
  }

  /** Runs SQL text: rows of a query, the number of rows of anything else. */
  async sql(given: string, values: readonly unknown[] = []): Promise<unknown> {
    this.#assertOpen();
    const text = entitiesInSql(given, this.model);
    const bound = values.map((value) => sqlValue(value));
    if (onlyReads(text)) return await this.#reading((connection) => connection.all(text, bound));
    return await this.#state.turns.take(() =>
      this.write((writer) => givesRows(text) ? writer.all(text, bound) : writer.change({ sql: text }, bound))
    );
  }

  /** Inserts a row of queued work. */
  enqueue(entity: string, row: Row): MaybePromise<number> {
    return this.#state.turns.take(() => insertNumbered(this.#forWriting(), entity, row));
  }

  /** Writes are there for others from now on. */
  commit(): MaybePromise<void> {
    return this.#end(COMMIT);
  }

  /** Writes are undone. */
  rollback(): MaybePromise<void> {
    return this.#end(ROLLBACK);
  }

  /** Marks the state of the data, to return to it. */
  mark(): Mark {
    return savepoint(this.#state);
  }

  /** Changes rows of a table. */
  change(statement: WriteStatement, params: QueryParams = {}): MaybePromise<number> {
    if (statement.kind === "insert") {
      const { writer } = this.#state;
      return writer
        ? this.#insert(writer, statement)
        : this.write((writer) => this.#insert(writer, statement));
    }
    const text = renderWrite(SQLITE, statement);
    return this.write((writer) => writer.change(text, this.#values(text.bindings, params)));
  }

  /** A statement for each row: one for several of them is hardly faster, and slower for few. */
  #insert(writer: SqliteConnection, { into, rows }: InsertStatement): number {
    const text = renderInsert(SQLITE, into);
    this.#on(writer, () => {
      for (const values of rows) writer.execute(text, values);
    });
    return rows.length;
  }

  /**
   * Runs something on the connection for writing.
   *
   * @param run synchronous work
   */
  write<T>(run: (writer: SqliteConnection) => T): MaybePromise<T> {
    return andThen(this.#state.writer ?? this.#acquired(), (writer) => this.#on(writer, run));
  }

  /** Reads rows that a write depends on. */
  async select(query: SelectQuery, params: QueryParams = {}): Promise<readonly Row[]> {
    const result = await this.#read({ SELECT: { ...query.SELECT, history: true } }, params);
    return (Array.isArray(result) ? result : result ? [result] : []) as readonly Row[];
  }

  #values(bindings: readonly Binding[], params: QueryParams): SqlValue[] {
    return bindValues(bindings, { params, context: this.context }).map(wholeAsBigInt);
  }

  #read(given: SelectQuery | SetQuery, values: QueryParams): MaybePromise<Rows | Row | null> {
    const { query, params } = this.#queries.templates.get(given, values);
    const compiled = this.#compile(query);
    return andThen(this.#fetch({ query, params, compiled, isPayload: false }), ({ rows: found, count }) => {
      const rows = found as Row[]; // texts are read for payloads only
      for (const row of rows) for (const reader of compiled.readers) reader(row);
      if (compiled.one) return rows[0] ?? null;
      return count === undefined ? rows : Object.assign(rows, { $count: count });
    });
  }

  /** Rows as the database gives them, and their number ignoring the limit, of one state of the data. */
  #fetch(selection: Selection): MaybePromise<FoundRows> {
    const { query } = selection;
    const locks = "SELECT" in query && (query.SELECT.forUpdate || query.SELECT.forShareLock);
    if (locks && !this.#state.writer) return andThen(this.#acquired(), () => this.#fetch(selection));
    return this.#reading((connection) => this.#find(connection, selection));
  }

  #find(connection: SqliteConnection, selection: Selection): FoundRows {
    const { query, params, compiled, isPayload } = selection;
    const rows = isPayload
      ? this.#payload(connection, selection)
      : connection.read(compiled, this.#values(compiled.bindings, params));
    if (!compiled.count || !("SELECT" in query)) return { rows, count: undefined };
    if (!compiled.limited) return { rows, count: rows.length };
    return { rows, count: this.#count(connection, query, params) };
  }

  /** The number of rows ignoring the limit. */
  #count(connection: SqliteConnection, query: SelectQuery, params: QueryParams): number {
    const counting = this.#compile(query, { counting: true });
    return Number(connection.read(counting, this.#values(counting.bindings, params))[0].count);
  }

  #compile(query: SelectQuery | SetQuery, as?: QueryVariant): CompiledSelect {
    return this.#queries.get(query, { localized: isLocalized(query, this.context) }, as);
  }

  /** Reads own changes, or what is committed. */
  #reading<T>(run: (connection: SqliteConnection) => T): MaybePromise<T> {
    if (this.#state.writer) return this.#on(this.#state.writer, run);
    const { snapshots, lock, writer } = this.#host;
    if (this.#state.acquiring || (!snapshots && lock.isHeld)) return this.#readLater(run);
    return this.#on(snapshots ? this.#state.snapshot ??= snapshots.take() : writer, run);
  }

  #readLater<T>(run: (connection: SqliteConnection) => T): MaybePromise<T> {
    const { lock, writer } = this.#host;
    return this.#state.acquiring
      ? this.#state.acquiring.then((connection) => this.#on(connection, run))
      : lock.read(() => this.#on(writer, run));
  }

  /** The connection for writing, once no other transaction writes. */
  #acquired(): MaybePromise<SqliteConnection> {
    this.#assertOpen();
    if (this.#state.acquiring) return this.#state.acquiring;
    const waiting = this.#host.lock.acquire();
    if (!waiting) return this.#begin();
    return this.#state.acquiring = waiting.then(() => this.#begin());
  }

  #begin(): SqliteConnection {
    const { lock, writer, cursors } = this.#host;
    this.#endSnapshot();
    // a client that reads slowly keeps nobody waiting, and sees nothing of what is written now
    for (const cursor of cursors) cursor.drain();
    try {
      writer.execute(BEGIN, []);
    } catch (error) {
      lock.release();
      throw error;
    }
    return this.#state.writer = writer;
  }

  #endSnapshot(): void {
    if (this.#state.snapshot) this.#host.snapshots?.give(this.#state.snapshot);
    this.#state.snapshot = undefined;
  }

  #end(statement: typeof COMMIT): MaybePromise<void> {
    if (this.#state.ended) return;
    this.#state.ended = true;
    if (this.#state.cursors) closeCursors(this.#state.cursors, statement === ROLLBACK);
    return this.#state.acquiring && !this.#state.writer
      ? this.#finishLater(this.#state.acquiring, statement)
      : this.#finish(statement);
  }

  #finishLater(acquiring: Promise<unknown>, statement: typeof COMMIT): Promise<void> {
    const finish = () => this.#finish(statement);
    return acquiring.then(finish, finish);
  }

  #finish(statement: typeof COMMIT): void {
    this.#endSnapshot();
    const writer = this.#state.writer;
    if (!writer) return statement === COMMIT ? this.#assertKept() : undefined;
    this.#state.writer = undefined;
    try {
      this.#on(writer, (connection) => connection.execute(statement, []));
    } catch (error) {
      if (writer.isInTransaction) writer.execute(ROLLBACK, []);
      throw error;
    } finally {
      this.#host.lock.release();
    }
  }

  #assertOpen(): void {
    if (this.#state.ended) throw new Error("The transaction has ended already");
    this.#assertKept();
  }

  #assertKept(): void {
    const { undone: cause } = this.#state;
    if (cause) throw new Error("The database has undone the transaction", { cause });
  }

  #on<T>(connection: SqliteConnection, run: (connection: SqliteConnection) => T): T {
    try {
      return run(connection);
    } catch (error) {
      if (this.#state.writer?.isInTransaction === false) this.#giveUp(error);
      throw sqliteError(error, this.model);
    }
  }

  /** What came behind an error that undoes all writes, as those of a full disk do, would be committed at once. */
  #giveUp(error: unknown): void {
    this.#state.undone = error;
    this.#state.acquiring = this.#state.writer = undefined;
    this.#host.lock.release();
  }
}

/** Those that are detached go on behind a commit. */
function closeCursors(cursors: readonly SqliteCursor[], isUndone: boolean): void {
  for (const cursor of cursors.filter(({ isDetached }) => isUndone || !isDetached)) cursor.close();
}

/** The driver binds numbers as floating-point ones: `title || 1` would end in `1.0`, large integers lose digits. */
function wholeAsBigInt(value: SqlValue): SqlValue {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value as number) : value;
}
