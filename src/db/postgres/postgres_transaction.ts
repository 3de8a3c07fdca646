/**
 * A transaction of PostgreSQL.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Query, QueryParams, Row, SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { type DatabaseTransaction, JsonRows, type QueryResult, type Rows } from "../../service/database.ts";
import type { CursorOptions } from "../../service/row_cursor.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { bindValues } from "../bind_values.ts";
import { entitiesInSql } from "../entities_in_sql.ts";
import { callsFunctions, givesRows, onlyReads } from "../plain_sql.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import { isLocalized, type QueryVariant, typesOf } from "../read/compiled_queries.ts";
import type { QueriesByModel } from "../read/queries_by_model.ts";
import { POSTGRES } from "../render/postgres_dialect.ts";
import type { Binding } from "../render/binding.ts";
import { quote } from "../render/render_query.ts";
import { renderInsert, renderWrite } from "../render/render_write.ts";
import { queriesOf, type TransactionPart } from "../transaction_part.ts";
import { insertNumbered } from "../write/insert.ts";
import { runWrite } from "../write/run_write.ts";
import { type SqlValue, sqlValue } from "../write/sql_value.ts";
import type { StatementRunner } from "../write/statement_runner.ts";
import type { WriteStatement } from "../write/write_statement.ts";
import { type RowLock, rowLock } from "./lock_clause.ts";
import { numberedPlaceholders } from "./numbered_placeholders.ts";
import { Connection } from "./connection.ts";
import type { StatementResult } from "./statement_query.ts";
import type { Pool, Statement } from "./pool.ts";
import { type CursorSlots, PostgresCursor } from "./postgres_cursor.ts";
import { payloadRow } from "./payload_row.ts";
import { postgresError } from "./postgres_error.ts";

/** What a transaction takes from its database. */
export interface PostgresHost extends QueriesByModel<CompiledSelect> {
  readonly model: LinkedModel;
  readonly pool: Pool;
  /** Throws what an error of the driver means. */
  readonly failed: (error: unknown) => never;
  /** How many cursors may be open. */
  readonly cursors: CursorSlots;
  /** Characters that the rows of one answer may have. */
  readonly answerBytes: number;
}

/** What all parts of a transaction share. */
interface TransactionState {
  /** The connection, once something was written or locked. */
  connection?: Promise<Connection>;
  cursors?: PostgresCursor[];
  ended: boolean;
}

/** A query and the values of its parameters. */
interface Selection {
  readonly query: SelectQuery | SetQuery;
  readonly params: QueryParams;
}

/** Takes rows as the database gives them; with their number ignoring the limit where it is asked for. */
type RowsReader<T> = (result: StatementResult, count?: number) => T;

/**
 * Values in an insert of several rows that is prepared: the server takes some 250 bytes for each, on each connection, and
 * clients choose the columns.
 */
const MOST_PREPARED_VALUES = 128;

/** Ways in which queries for payloads are compiled. */
const VALUES = { payload: true, values: true };
const TEXT = { payload: true };

const LIMIT_WAITING =
  "SELECT set_config('fw.lock_timeout', current_setting('lock_timeout'), true), set_config('lock_timeout', $1, true)";
const WAIT_AS_BEFORE = "SELECT set_config('lock_timeout', current_setting('fw.lock_timeout'), true)";

/**
 * Isolation is that of the database: READ COMMITTED. Until the first write statements run on any connection, each of them
 * sees what is committed; from then on all run on one connection in a transaction.
 */
export class PostgresTransaction implements DatabaseTransaction, StatementRunner {
  readonly model: LinkedModel;
  readonly context: EventContext;
  readonly #host: PostgresHost;
  readonly #state: TransactionState;
  readonly #queries: PostgresHost["compiled"];

  /**
   * @param host the database
   * @param context gives user, locale and time
   * @param part the transaction this one is a part of
   */
  constructor(host: PostgresHost, context: EventContext, part: TransactionPart<TransactionState> = {}) {
    this.#host = host;
    this.model = host.model;
    this.context = context;
    this.#state = part.state ?? { ended: false };
    this.#queries = queriesOf(host, context, part);
  }

  /** The same transaction for statements of another context. */
  within(context: EventContext): PostgresTransaction {
    if (context === this.context) return this;
    return new PostgresTransaction(this.#host, context, { state: this.#state });
  }

  /** Whether statements ran on any connection so far. */
  get holdsNothing(): boolean {
    return this.#state.connection === undefined && this.#state.cursors === undefined;
  }

  /** Runs a query. */
  run(query: Query, params: QueryParams = {}): Promise<QueryResult> {
    return "SELECT" in query || "SET" in query ? this.#read(query, params) : this.#write(query, params);
  }

  /** Runs a SELECT whose rows the database writes as JSON text. */
  readJson(query: SelectQuery, params: QueryParams = {}): Promise<JsonRows> {
    const compiled = this.#compile(query, params, query.SELECT.one ? VALUES : TEXT);
    return this.#fetch({ query, params }, compiled, ({ rows, fields }, count) => {
      if (compiled.hasValues) {
        const [row] = rows;
        return new JsonRows(row ? payloadRow(row, fields) : "null", rows.length, { count });
      }
      const json = compiled.one
        ? (rows[0]?.json as string | undefined) ?? "null"
        : `[${rows.map((row) => row.json as string).join(",")}]`;
      return new JsonRows(json, rows.length, { count, last: rows.at(-1)?.json as string | undefined });
    });
  }

  /** Runs a SELECT whose rows are taken one group after the other, on a connection of its own. */
  async openCursor(
    query: SelectQuery,
    params: QueryParams = {},
    { asText }: CursorOptions,
  ): Promise<PostgresCursor | undefined> {
    this.#assertOpen();
    const compiled = this.#compile(query, params, asText ? TEXT : undefined);
    const { cursors, pool } = this.#host;
    if (this.#state.connection || compiled.one || rowLock(query, compiled.table)) return undefined;
    if (!cursors.take()) return undefined;
    const counting = query.SELECT.count ? this.#compile(query, params, { counting: true }) : undefined;
    const bound = ({ sql, bindings }: CompiledSelect) => ({ sql, values: this.#values(bindings, params) });
    const cursor = await PostgresCursor.open(pool, {
      select: bound(compiled),
      counting: counting && bound(counting),
      isText: asText,
      read: asText ? (row) => row.json as string : (row) => {
        for (const read of compiled.readers) read(row);
        return row;
      },
      translate: (error) => postgresError(error, this.model),
    }, () => cursors.give());
    (this.#state.cursors ??= []).push(cursor);
    // the transaction may have been rolled back meanwhile
    if (this.#state.ended) await cursor.close();
    this.#assertOpen();
    return cursor;
  }

  /** Runs SQL text with placeholders `?`: rows of a query, the number of rows of anything else. */
  async sql(given: string, values: readonly unknown[] = []): Promise<unknown> {
    const text = numberedPlaceholders(entitiesInSql(given, this.model));
    const bound = values.map((value) => sqlValue(value));
    // what functions write belongs to the transaction
    if (!onlyReads(text) || callsFunctions(text)) await this.#connection();
    const { rows, rowCount } = await this.#statement(text, bound);
    return givesRows(text) ? rows : rowCount;
  }

  /** Inserts a row of queued work. */
  enqueue(entity: string, row: Row): MaybePromise<number> {
    return insertNumbered(this.#forWriting(), entity, row);
  }

  /**
   * Keeps other transactions that ask for the same lock waiting until this one ends.
   *
   * @param name what is locked
   */
  async lock(name: string): Promise<void> {
    await this.#connection();
    await this.#statement("SELECT pg_advisory_xact_lock(hashtext($1))", [name]);
  }

  /**
   * Keeps all others out of tables until this transaction ends, after it has waited for those that use them.
   *
   * @param names of the tables
   */
  async lockTables(names: readonly string[]): Promise<void> {
    await this.#connection();
    await this.#statement(`LOCK TABLE ${names.map(quote).join(", ")} IN ACCESS EXCLUSIVE MODE`, []);
  }

  /** Writes are there for others from now on. */
  commit(): MaybePromise<void> {
    return this.#end("COMMIT");
  }

  /** Writes are undone. */
  rollback(): MaybePromise<void> {
    return this.#end("ROLLBACK");
  }

  /** Changes rows of a table. */
  async change(statement: WriteStatement, params: QueryParams = {}): Promise<number> {
    await this.#connection();
    if (statement.kind === "insert") {
      const { into, rows } = statement;
      const { sql } = renderInsert(POSTGRES, into, rows.length);
      if (rows.length === 1) return (await this.#statement(sql, rows[0]!)).rowCount;
      const values = rows.flat();
      const simple = values.length > MOST_PREPARED_VALUES;
      return (await this.#run({ sql, values, simple }, (result) => result)).rowCount;
    }
    const { sql, bindings } = renderWrite(POSTGRES, statement, typesOf(params));
    return (await this.#statement(sql, this.#values(bindings, params))).rowCount;
  }

  /** Reads rows that a write depends on. */
  async select(query: SelectQuery, params: QueryParams = {}): Promise<readonly Row[]> {
    const result = await this.#read({ SELECT: { ...query.SELECT, history: true } }, params);
    return (Array.isArray(result) ? result : result ? [result] : []) as readonly Row[];
  }

  async #write(query: Exclude<Query, SelectQuery | SetQuery>, params: QueryParams): Promise<QueryResult> {
    await this.#connection();
    return await runWrite(this.#forWriting(), query, params);
  }

  /** Writes fill and follow all there is, also what the context does not see. */
  #forWriting(): PostgresTransaction {
    if (this.#queries === this.#host.compiled) return this;
    return new PostgresTransaction(this.#host, this.context, { state: this.#state, sees: "all" });
  }

  #read(given: SelectQuery | SetQuery, values: QueryParams): Promise<Rows | Row | null> {
    const { query, params } = this.#queries.templates.get(given, values);
    const compiled = this.#compile(query, params);
    return this.#fetch({ query, params }, compiled, (found, count) => {
      const rows: Rows = found.rows;
      for (const read of compiled.readers) for (const row of rows) read(row);
      if (compiled.one) return rows[0] ?? null;
      return count === undefined ? rows : Object.assign(rows, { $count: count });
    });
  }

  /** What is made of rows as the database gives them, and of their number ignoring the limit. */
  #fetch<T>({ query, params }: Selection, compiled: CompiledSelect, read: RowsReader<T>): Promise<T> {
    const lock = rowLock(query, compiled.table);
    const values = this.#values(compiled.bindings, params);
    const statement = {
      sql: lock ? compiled.sql + lock.clause : compiled.sql,
      values,
      answerBytes: compiled.bounded ? this.#host.answerBytes : undefined,
    };
    const readAll = compiled.count && "SELECT" in query
      ? this.#counting(query, params, { compiled, read })
      : read;
    return lock ? this.#locked(lock, statement, readAll) : this.#run(statement, readAll);
  }

  async #locked<T>(
    { waitMs }: RowLock,
    statement: Statement,
    read: (result: StatementResult) => MaybePromise<T>,
  ): Promise<T> {
    await this.#connection();
    if (waitMs === undefined) return await this.#run(statement, read);
    // sent together: no other statement of the transaction comes between them
    const [, result] = await Promise.all([
      this.#statement(LIMIT_WAITING, [String(waitMs)]),
      this.#run(statement, read),
      this.#statement(WAIT_AS_BEFORE, []),
    ]);
    return result;
  }

  /** Reads rows together with their number ignoring the limit. */
  #counting<T>(
    query: SelectQuery,
    params: QueryParams,
    { compiled, read }: { readonly compiled: CompiledSelect; readonly read: RowsReader<T> },
  ): (result: StatementResult) => MaybePromise<T> {
    if (!compiled.limited) return (result) => read(result, result.rows.length);
    return (result) => this.#count(query, params).then((count) => read(result, count));
  }

  #count(query: SelectQuery, params: QueryParams): Promise<number> {
    const counting = this.#compile(query, params, { counting: true });
    const values = this.#values(counting.bindings, params);
    return this.#run({ sql: counting.sql, values }, ({ rows: [row] }) => Number(row!.count));
  }

  #compile(query: SelectQuery | SetQuery, params: QueryParams, as?: QueryVariant): CompiledSelect {
    return this.#queries.get(query, { localized: isLocalized(query, this.context), params }, as);
  }

  #values(bindings: readonly Binding[], params: QueryParams): SqlValue[] {
    return bindValues(bindings, { params, context: this.context }, arrayLiteral);
  }

  #statement(sql: string, values: readonly SqlValue[]): Promise<StatementResult> {
    return this.#run({ sql, values, simple: values.length === 0 }, (result) => result);
  }

  /** Runs a statement on the connection of the transaction, or on any while there is none. */
  #run<T>(statement: Statement, read: (result: StatementResult) => MaybePromise<T>): Promise<T> {
    this.#assertOpen();
    const { connection } = this.#state;
    const { pool, failed } = this.#host;
    if (!connection) return pool.run(statement, { read, failed });
    return connection.then((own) => own.run(statement).then(read, failed));
  }

  #assertOpen(): void {
    if (this.#state.ended) throw new Error("The transaction has ended already");
  }

  #connection(): Promise<Connection> {
    this.#assertOpen();
    return this.#state.connection ??= this.#begin();
  }

  async #begin(): Promise<Connection> {
    try {
      return await Connection.begin(this.#host.pool, "BEGIN");
    } catch (error) {
      throw postgresError(error, this.model);
    }
  }

  #end(statement: "COMMIT" | "ROLLBACK"): MaybePromise<void> {
    if (this.#state.ended) return;
    this.#state.ended = true;
    const { connection, cursors } = this.#state;
    return connection || cursors ? this.#endOn(connection, statement) : undefined;
  }

  async #endOn(begun: Promise<Connection> | undefined, statement: "COMMIT" | "ROLLBACK"): Promise<void> {
    for (const cursor of this.#state.cursors ?? []) {
      if (statement === "ROLLBACK" || !cursor.isDetached) await cursor.close();
    }
    const connection = await begun?.catch(() => undefined);
    if (!connection) return;
    try {
      const { command } = await connection.command(statement);
      // a transaction in which a statement failed is rolled back, whatever is asked for
      if (command !== statement) throw new Error(`${statement} ended with ${command}`);
    } catch (error) {
      throw postgresError(error, this.model);
    } finally {
      connection.release();
    }
  }
}

/** A list as array of PostgreSQL, whose type follows from what it is compared with. */
function arrayLiteral(values: readonly SqlValue[]): string {
  const items = values.map((value) =>
    value === null ? "NULL" : `"${String(value).replace(/["\\]/g, "\\$&")}"`
  );
  return `{${items.join(",")}}`;
}
