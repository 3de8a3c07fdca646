/**
 * A transaction of PostgreSQL.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { JsonRows, type Rows } from "../../service/database.ts";
import type { CursorOptions } from "../../service/row_cursor.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { bindValues } from "../bind_values.ts";
import {
  countingOf,
  countOf,
  type Driver,
  type Selection,
  type StatementValues,
  transactionEnded,
} from "../engine/driver.ts";
import { givesRows, numberedPlaceholders } from "../sql_name.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import { typesOf } from "../read/compiled_queries.ts";
import { POSTGRES } from "../render/postgres_dialect.ts";
import { quote } from "../render/render_query.ts";
import { renderInsert, renderWrite } from "../render/render_write.ts";
import type { SqlValue } from "../write/sql_value.ts";
import type { WriteStatement } from "../write/statement_runner.ts";
import { Connection } from "./connection.ts";
import { payloadRow, type StatementResult } from "./statement_query.ts";
import type { Pool, Statement } from "./pool.ts";
import { type CursorSlots, PostgresCursor } from "./postgres_cursor.ts";
import { postgresError } from "./postgres_error.ts";
import type { Replica } from "./replica.ts";
import type { Replicas } from "./replicas.ts";
import type { Row, SelectQuery, SetQuery } from "../../cqn/cqn.ts";

/** What a transaction takes from its database. */
export interface PostgresHost {
  readonly model: LinkedModel;
  readonly pool: Pool;
  /** Servers that may read instead. */
  readonly replicas?: Replicas;
  /** Throws what an error of the driver means. */
  readonly failed: (error: unknown) => never;
  /** Whether locks are rows of a table, for engines without advisory locks. */
  readonly locksRows: boolean;
  /** How many cursors may be open. */
  readonly cursors: CursorSlots;
  /** Characters that the rows of one answer may have. */
  readonly answerBytes: number;
}

/** Where a statement may run. */
export interface SendOptions {
  /** Whether it only reads, and nothing is written that depends on what it reads. */
  readonly isRead: boolean;
}

/** Constants, so that no read allocates its options. */
const READS: SendOptions = { isRead: true };
const WRITES: SendOptions = { isRead: false };

type PostgresSelection = Selection<CompiledSelect>;

/** Takes what the database gives, and the number of rows ignoring the limit where it is asked for. */
type ResultReader<T> = (result: StatementResult, count: number | undefined) => T;

/**
 * Values in an insert of several rows that is prepared: the server takes some 250 bytes for each, on each connection, and
 * clients choose the columns.
 */
const MOST_PREPARED_VALUES = 128;

const LIMIT_WAITING =
  "SELECT set_config('fw.lock_timeout', current_setting('lock_timeout'), true), set_config('lock_timeout', $1, true)";
/** Makes the table of locks; it is in the schema of the application, as its tables are. */
export const LOCKS_TABLE = 'CREATE TABLE IF NOT EXISTS "fw_locks" ("name" TEXT PRIMARY KEY)';
const LOCK_ROW =
  'INSERT INTO "fw_locks" ("name") VALUES ($1) ON CONFLICT ("name") DO UPDATE SET "name" = excluded."name"';
const WAIT_AS_BEFORE = "SELECT set_config('lock_timeout', current_setting('fw.lock_timeout'), true)";

/**
 * Isolation is that of the database: READ COMMITTED. Until the first write statements run on any connection, each of them
 * sees what is committed; from then on all run on one connection in a transaction.
 */
export class PostgresDriver implements Driver<CompiledSelect> {
  readonly #host: PostgresHost;
  readonly #context: EventContext;
  /** The one server that reads in its place, as long as it has not failed; `null` where none does. */
  #replica: Replica | null | undefined;
  /** The connection, once something was written or locked. */
  #connection: Promise<Connection> | undefined;
  /** Whether the transaction has ended, behind which others use the connection. */
  #hasEnded = false;

  /**
   * @param host the database
   * @param context whose transaction it is
   */
  constructor(host: PostgresHost, context: EventContext) {
    this.#host = host;
    this.#context = context;
  }

  get holdsNothing(): boolean {
    return this.#connection === undefined;
  }

  read(selection: PostgresSelection): Promise<Rows | Row | null> {
    return this.#fetch(selection, ({ rows }, count) => selection.result(rows, count));
  }

  readJson(selection: PostgresSelection): Promise<JsonRows> {
    const { hasValues, one } = selection.compiled;
    return this.#fetch(selection, ({ rows, fields }, count) => {
      if (hasValues) {
        const [row] = rows;
        return new JsonRows(row ? payloadRow(row, fields) : "null", rows.length, { count });
      }
      const json = one
        ? (rows[0]?.json as string | undefined) ?? "null"
        : `[${rows.map((row) => row.json as string).join(",")}]`;
      return new JsonRows(json, rows.length, { count, last: rows.at(-1)?.json as string | undefined });
    });
  }

  /** The cursor has a connection of its own. */
  async openCursor(
    selection: PostgresSelection,
    { asText }: CursorOptions,
  ): Promise<PostgresCursor | undefined> {
    const { cursors, pool, model } = this.#host;
    if (this.#connection || !cursors.take()) return undefined;
    const { compiled } = selection;
    const counting = countingOf(selection, true);
    const bound = ({ sql, bindings }: CompiledSelect) => ({ sql, values: valuesOf(bindings, selection) });
    return await PostgresCursor.open(pool, {
      select: bound(compiled),
      counting: counting && bound(counting),
      isText: asText,
      read: asText ? (row) => row.json as string : (row) => {
        for (const read of compiled.readers) read(row);
        return row;
      },
      translate: (error) => postgresError(error, model),
    }, () => cursors.give());
  }

  async explain(
    selection: PostgresSelection,
  ): Promise<{ readonly sql: string; readonly plan: readonly string[] }> {
    const { sql, bindings } = selection.compiled;
    const values = valuesOf(bindings, selection);
    // another text for each query: nothing of it is prepared
    const { rows } = await this.send({ sql: `EXPLAIN ${sql}`, values, simple: true }, (result) => result);
    return { sql, plan: rows.map((row) => String(row["QUERY PLAN"])) };
  }

  begin(): Promise<Connection> {
    this.#assertOpen();
    return this.#connection ??= this.#begin();
  }

  async change(statement: WriteStatement, values: StatementValues): Promise<number> {
    if (statement.kind !== "insert") {
      const { text, bindings } = renderWrite(POSTGRES, statement, { types: typesOf(values.params) });
      return (await this.#statement(text.sql, valuesOf(bindings, values))).rowCount;
    }
    const { into, rows } = statement;
    const { sql } = renderInsert(POSTGRES, into, rows.length);
    const given = rows.flat();
    const simple = rows.length > 1 && given.length > MOST_PREPARED_VALUES;
    return await this.send({ sql, values: given, simple: simple || given.length === 0 }, rowCountOf);
  }

  async sql(text: string, values: readonly SqlValue[]): Promise<unknown> {
    const { rows, rowCount } = await this.#statement(numberedPlaceholders(text), values);
    return givesRows(text) ? rows : rowCount;
  }

  /**
   * Keeps other transactions that ask for the same lock waiting until this one ends.
   *
   * @param name what is locked
   */
  async lock(name: string): Promise<void> {
    await this.begin();
    await this.#statement(this.#host.locksRows ? LOCK_ROW : "SELECT pg_advisory_xact_lock(hashtext($1))", [
      name,
    ]);
  }

  /**
   * Keeps all others out of tables until this transaction ends, after it has waited for those that use them.
   *
   * @param names of the tables
   */
  async lockTables(names: readonly string[]): Promise<void> {
    await this.begin();
    await this.#statement(`LOCK TABLE ${names.map(quote).join(", ")} IN ACCESS EXCLUSIVE MODE`, []);
  }

  commit(): MaybePromise<void> {
    return this.#end("COMMIT");
  }

  rollback(): MaybePromise<void> {
    return this.#end("ROLLBACK");
  }

  /** What is made of rows as the database gives them, and of their number ignoring the limit. */
  #fetch<T>(selection: PostgresSelection, read: ResultReader<T>): Promise<T> {
    const { compiled } = selection;
    const lock = rowLock(selection.query, compiled.table);
    const statement = {
      sql: lock ? compiled.sql + lock.clause : compiled.sql,
      values: valuesOf(compiled.bindings, selection),
      answerBytes: compiled.bounded ? this.#host.answerBytes : undefined,
    };
    const options = selection.isForWrite ? WRITES : READS;
    const counting = countingOf(selection);
    const readAll = (result: StatementResult): MaybePromise<T> => {
      if (!counting) return read(result, countOf(selection, result.rows, undefined));
      const count = { sql: counting.sql, values: valuesOf(counting.bindings, selection) };
      return this.send(count, ({ rows }) => read(result, countOf(selection, result.rows, rows)), options);
    };
    if (lock) return this.#locked(lock, statement, readAll);
    return this.send(statement, readAll, options);
  }

  async #locked<T>(
    { waitMs }: RowLock,
    statement: Statement,
    read: (result: StatementResult) => MaybePromise<T>,
  ): Promise<T> {
    await this.begin();
    if (waitMs === undefined) return await this.send(statement, read);
    // sent together: no other statement of the transaction comes between them
    const [, result] = await Promise.all([
      this.#statement(LIMIT_WAITING, [String(waitMs)]),
      this.send(statement, read),
      this.#statement(WAIT_AS_BEFORE, []),
    ]);
    return result;
  }

  #statement(sql: string, values: readonly SqlValue[]): Promise<StatementResult> {
    return this.send({ sql, values, simple: values.length === 0 }, (result) => result);
  }

  /**
   * Runs a statement on the connection of the transaction, or on any while there is none.
   *
   * @param statement the statement
   * @param read makes of its result what is wanted
   * @param options whether a replica may run it
   */
  send<T>(
    statement: Statement,
    read: (result: StatementResult) => MaybePromise<T>,
    { isRead }: SendOptions = WRITES,
  ): Promise<T> {
    this.#assertOpen();
    const { replicas, failed } = this.#host;
    if (!isRead || !replicas || this.#connection) return this.#sendToPrimary(statement, read);
    if (this.#replica === undefined) this.#replica = replicas.choose(this.#context) ?? null;
    if (this.#replica === null) return this.#sendToPrimary(statement, read);
    return this.#replica.run(statement).then(read, (error) => {
      if (hasTakenTooLong(error)) return failed(error);
      // also what this server does not know yet, or cannot do: the primary tells the truth
      this.#replica = null;
      return this.#sendToPrimary(statement, read);
    });
  }

  #sendToPrimary<T>(
    statement: Statement,
    read: (result: StatementResult) => MaybePromise<T>,
  ): Promise<T> {
    const { pool, failed } = this.#host;
    if (!this.#connection) return pool.run(statement, { read, failed });
    return this.#connection.then((own) => own.run(statement).then(read, failed));
  }

  async #begin(): Promise<Connection> {
    try {
      return await Connection.begin(this.#host.pool, "BEGIN");
    } catch (error) {
      throw postgresError(error, this.#host.model);
    }
  }

  #assertOpen(): void {
    if (this.#hasEnded) throw transactionEnded();
  }

  #end(statement: "COMMIT" | "ROLLBACK"): MaybePromise<void> {
    this.#hasEnded = true;
    return this.#connection && this.#endOn(this.#connection, statement);
  }

  async #endOn(begun: Promise<Connection>, statement: "COMMIT" | "ROLLBACK"): Promise<void> {
    const connection = await begun.catch(() => undefined);
    if (!connection) return;
    try {
      const { command } = await connection.command(statement);
      // a transaction in which a statement failed is rolled back, whatever is asked for
      if (command !== statement) throw new Error(`${statement} ended with ${command}`);
      if (statement === "COMMIT") this.#host.replicas?.wrote(this.#context);
    } catch (error) {
      throw postgresError(error, this.#host.model);
    } finally {
      connection.release();
    }
  }
}

/** Whether the server has given up on a statement: another one would need as long. */
function hasTakenTooLong(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === "57014";
}

function rowCountOf({ rowCount }: StatementResult): number {
  return rowCount;
}

/** The values of placeholders. */
export function valuesOf(bindings: CompiledSelect["bindings"], from: StatementValues): SqlValue[] {
  return bindValues(bindings, from, arrayLiteral);
}

/** A list as array of PostgreSQL, whose type follows from what it is compared with. */
function arrayLiteral(values: readonly SqlValue[]): string {
  const items = values.map((value) =>
    value === null ? "NULL" : `"${String(value).replace(/["\\]/g, "\\$&")}"`
  );
  return `{${items.join(",")}}`;
}

/** How a query locks its rows. */
interface RowLock {
  /** What follows the SELECT. */
  readonly clause: string;
  /** Milliseconds to wait for other transactions; undefined: as long as it takes. */
  readonly waitMs: number | undefined;
}

/**
 * The lock a query asks for.
 *
 * @param query the query; rows of groups and sets cannot be locked
 * @param table alias of the table whose rows are locked
 * @returns undefined for a query that locks nothing
 */
function rowLock(query: SelectQuery | SetQuery, table: string | undefined): RowLock | undefined {
  if (!("SELECT" in query) || table === undefined) return undefined;
  const { forUpdate, forShareLock, groupBy, distinct } = query.SELECT;
  if ((!forUpdate && !forShareLock) || groupBy || distinct) return undefined;
  const { wait } = Object(forUpdate || forShareLock) as { readonly wait?: number };
  const clause = ` FOR ${forUpdate ? "UPDATE" : "SHARE"} OF ${quote(table)}${wait === 0 ? " NOWAIT" : ""}`;
  return { clause, waitMs: wait ? wait * 1000 : undefined };
}
