/**
 * A transaction of SQLite.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Query, QueryParams, Row, SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { DatabaseTransaction, JsonRows, QueryResult, Rows } from "../../service/database.ts";
import { bindValues } from "../bind_values.ts";
import { insertResult } from "../insert_result.ts";
import { type CompiledSelect, compileSelect, countQuery } from "../read/compile_select.ts";
import type { Binding } from "../render/render_query.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import { deleteRows } from "../write/delete.ts";
import { insertRows } from "../write/insert.ts";
import { type SqlValue, sqlValue } from "../write/sql_value.ts";
import type { StatementRunner } from "../write/statement_runner.ts";
import { updateRows, upsertRows } from "../write/update.ts";
import type { SqliteConnection } from "./connection.ts";
import { sqliteError } from "./sqlite_error.ts";

/** What a transaction takes from its database. */
export interface SqliteHost {
  readonly model: LinkedModel;
  /** The connection for reading when nothing was written; waits where it would see uncommitted data. */
  reader(): SqliteConnection | Promise<SqliteConnection>;
  /** The connection for writing, once no other transaction writes. */
  acquireWriter(): Promise<SqliteConnection>;
  releaseWriter(): void;
  /** Compiled statements by identity of the query. */
  readonly compiled: WeakMap<object, Map<string, CompiledSelect>>;
}

/** Begins with its first write; reads before that run on the state that is committed. */
export class SqliteTransaction implements DatabaseTransaction, StatementRunner {
  readonly model: LinkedModel;
  readonly dialect = SQLITE;
  readonly context: EventContext;
  readonly #host: SqliteHost;
  #writer: SqliteConnection | undefined;
  #acquiring: Promise<SqliteConnection> | undefined;
  #ended = false;

  /**
   * @param host the database
   * @param context gives user, locale and time
   */
  constructor(host: SqliteHost, context: EventContext) {
    this.#host = host;
    this.model = host.model;
    this.context = context;
  }

  /** Runs a query. */
  async run(query: Query, params: QueryParams = {}): Promise<QueryResult> {
    this.#assertOpen();
    if ("SELECT" in query || "SET" in query) return await this.#read(query, params);
    await this.#begin();
    if ("INSERT" in query) return insertResult(await insertRows(this, query.INSERT));
    if ("UPSERT" in query) return insertResult(await upsertRows(this, query.UPSERT));
    if ("UPDATE" in query) return await updateRows(this, query, params);
    return await deleteRows(this, query, params);
  }

  /** Runs a SELECT whose rows the database writes as JSON text. */
  async readJson(query: SelectQuery, params: QueryParams = {}): Promise<JsonRows> {
    this.#assertOpen();
    const connection = await this.#connection();
    const compiled = this.#compile(query, true);
    const texts = this.#guard(() => connection.read(compiled, this.values(compiled.bindings, params)));
    const json = compiled.one
      ? (texts[0]?.json as string | undefined) ?? "null"
      : `[${texts.map((row) => row.json as string).join(",")}]`;
    const count = compiled.count
      ? this.#count(connection, query, { params, rows: texts.length, compiled })
      : undefined;
    return { json, rows: texts.length, ...(count !== undefined && { count }) };
  }

  /** Runs SQL text: rows of a query, the number of rows of anything else. */
  async sql(text: string, values: readonly unknown[] = []): Promise<unknown> {
    this.#assertOpen();
    const bound = values.map((value) => sqlValue(value));
    if (/^\s*(?:select|with|values|explain|pragma)\b/i.test(text)) {
      const connection = await this.#connection();
      return this.#guard(() => connection.all(text, bound));
    }
    return await this.change(text, bound);
  }

  /** Writes are there for others from now on. */
  commit(): Promise<void> {
    return this.#end("COMMIT");
  }

  /** Writes are undone. */
  rollback(): Promise<void> {
    return this.#end("ROLLBACK");
  }

  /** Runs a statement that changes rows. */
  async change(sql: string, values: readonly SqlValue[]): Promise<number> {
    const writer = this.#writer ?? await this.#begin();
    return this.#guard(() => writer.change(sql, values));
  }

  /** Reads rows that a write depends on. */
  async select(query: SelectQuery, params: QueryParams = {}): Promise<readonly Row[]> {
    const result = await this.#read({ SELECT: { ...query.SELECT, history: true } }, params);
    return (Array.isArray(result) ? result : result ? [result] : []) as readonly Row[];
  }

  /** The values of placeholders. */
  values(bindings: readonly Binding[], params: QueryParams): SqlValue[] {
    return bindValues(bindings, { params, context: this.context });
  }

  async #read(query: SelectQuery | SetQuery, params: QueryParams): Promise<Rows | Row | null> {
    const connection = this.#writer ?? await this.#connection();
    const compiled = this.#compile(query, false);
    const rows: Rows = this.#guard(() => connection.read(compiled, this.values(compiled.bindings, params)));
    for (const read of compiled.readers) for (const row of rows) read(row);
    if (compiled.one) return rows[0] ?? null;
    if (compiled.count) {
      rows.$count = this.#count(connection, query as SelectQuery, { params, rows: rows.length, compiled });
    }
    return rows;
  }

  #count(
    connection: SqliteConnection,
    query: SelectQuery,
    of: { readonly params: QueryParams; readonly rows: number; readonly compiled: CompiledSelect },
  ): number {
    if (!of.compiled.limited) return of.rows;
    const compiled = this.#compile(query, false, countQuery);
    const [row] = this.#guard(() => connection.read(compiled, this.values(compiled.bindings, of.params)));
    return Number(row.count);
  }

  /** Frozen queries are templates and are compiled once. */
  #compile(query: SelectQuery | SetQuery, payload: boolean, derive?: typeof countQuery): CompiledSelect {
    const localized = "SELECT" in query && query.SELECT.localized === true &&
      this.context.locale !== undefined;
    const options = { model: this.model, dialect: SQLITE, payload, localized };
    const compile = () => compileSelect(derive ? derive(query as SelectQuery) : query, options);
    if (!Object.isFrozen(query)) return compile();
    const variant = `${payload ? "j" : "r"}${localized ? "l" : ""}${derive ? "c" : ""}`;
    let variants = this.#host.compiled.get(query);
    if (!variants) this.#host.compiled.set(query, variants = new Map());
    let compiled = variants.get(variant);
    if (!compiled) variants.set(variant, compiled = compile());
    return compiled;
  }

  #connection(): SqliteConnection | Promise<SqliteConnection> {
    return this.#writer ?? this.#acquiring ?? this.#host.reader();
  }

  #begin(): SqliteConnection | Promise<SqliteConnection> {
    if (this.#writer) return this.#writer;
    return this.#acquiring ??= this.#host.acquireWriter().then((connection) => {
      try {
        connection.change("BEGIN IMMEDIATE", []);
      } catch (error) {
        this.#host.releaseWriter();
        throw error;
      }
      return this.#writer = connection;
    });
  }

  async #end(statement: "COMMIT" | "ROLLBACK"): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#acquiring?.catch(() => undefined);
    const writer = this.#writer;
    if (!writer) return;
    this.#writer = undefined;
    try {
      this.#guard(() => writer.change(statement, []));
    } catch (error) {
      if (statement === "COMMIT") writer.change("ROLLBACK", []);
      throw error;
    } finally {
      this.#host.releaseWriter();
    }
  }

  #assertOpen(): void {
    if (this.#ended) throw new Error("The transaction has ended already");
  }

  #guard<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw sqliteError(error, this.model);
    }
  }
}
