/**
 * One connection of `node:sqlite` with its prepared statements.
 *
 * @module
 */

import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import type { Row } from "../../cqn/cqn.ts";
import { DEFAULT_LIMITS } from "../../config/limits.ts";
import { answerTooLarge } from "../../errors/service_error.ts";
import type { StatementWatch } from "../../service/database.ts";
import type { SqlText } from "../render/render_query.ts";
import type { CursorOptions, CursorRow } from "../../service/row_cursor.ts";
import { CURSOR_ROWS, CURSOR_TEXT } from "../read/cursor_groups.ts";
import type { SqlValue } from "../write/sql_value.ts";
import {
  type ArrayStatement,
  columnNames,
  openFile,
  readAll,
  readNumbers,
  toRows,
  withArrays,
  withoutEnd,
} from "./node_sqlite.ts";
import { registerFunctions, RunningStatement, type StatementLimits } from "./sql_functions.ts";

const STATEMENTS = 500;
const CHANGES: SqlText = { sql: "SELECT changes()" };

/** How a connection is opened. */
export interface ConnectionOptions {
  /** Path of the file, or `:memory:`. */
  readonly file: string;
  readonly readOnly?: boolean;
  /** How long a statement waits for locks of other processes. */
  readonly timeoutMs: number;
  /** Whether its user asks again where others have locks: it waits for them while it is opened only. */
  readonly isPatient?: boolean;
  /** What a statement may take; default: `DEFAULT_LIMITS`. */
  readonly limits?: StatementLimits;
  /** Is told of each statement. */
  readonly watch?: StatementWatch;
}

/** A compiled SELECT, as far as its connection knows it. */
type Selection = SqlText & { readonly bounded?: boolean };

/** An open database. Everything it does is synchronous. */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #running: RunningStatement;
  readonly #answerBytes: number;
  readonly #timeoutMs: number;
  /** Bytes that a value may have now; undefined where the driver knows no such bound. */
  #valueBytes: number | undefined;
  readonly #mostValueBytes: number | undefined;
  readonly #collected: TextGroups = new TextGroups();
  readonly #statements: Map<string, Prepared> = new Map();
  readonly #compiled: WeakMap<object, Prepared> = new WeakMap();

  /**
   * Opens a database.
   *
   * @param options where the database is and how it is opened
   * @throws ConfigurationError for a file that cannot be opened
   */
  constructor(
    { file, readOnly = false, timeoutMs, isPatient, limits = DEFAULT_LIMITS }: ConnectionOptions,
  ) {
    this.#db = openFile(file, { readOnly, timeout: timeoutMs });
    this.#running = new RunningStatement(limits);
    this.#answerBytes = limits.answerBytes;
    this.#valueBytes = this.#mostValueBytes = (this.#db as LimitedDatabase).limits?.length;
    registerFunctions(this.#db, this.#running);
    this.#db.function("fw_collect", (text: SQLOutputValue) => this.#collected.add(String(text)));
    if (file !== ":memory:" && !readOnly) {
      this.#db.prepare("PRAGMA journal_mode = WAL").get();
      this.#db.prepare("PRAGMA synchronous = NORMAL").get();
    }
    this.#timeoutMs = timeoutMs;
    if (isPatient) this.#waitAtMost(0);
  }

  #waitAtMost(ms: number): void {
    this.#db.exec(`PRAGMA busy_timeout = ${ms}`);
  }

  /** Runs something that waits for locks of others, with all else in the process. */
  waitForOthers(run: () => void): void {
    this.#waitAtMost(this.#timeoutMs);
    try {
      run();
    } finally {
      this.#waitAtMost(0);
    }
  }

  /**
   * Reads rows.
   *
   * @param sql text of the statement
   * @param values of its placeholders
   */
  all(sql: string, values: readonly SqlValue[]): Row[] {
    const prepared = this.#prepare(sql);
    const found = this.#run(() => prepared.statement.all(...values));
    // what a star stands for may have changed
    return toRows(found, columnNames(prepared.statement));
  }

  /**
   * Reads rows with a compiled statement, found by its identity.
   *
   * @param compiled a compiled SELECT
   * @param values of its placeholders
   */
  read(compiled: Selection, values: readonly SqlValue[]): Row[] {
    const prepared = this.#statementOf(compiled);
    const isBounded = compiled.bounded === true;
    this.#begin(isBounded);
    let found: unknown[];
    try {
      found = readAll(prepared.statement, values, this.#running);
    } catch (error) {
      throw this.#failure(error, isBounded);
    }
    this.#assertDone();
    return toRows(found, prepared.names ??= columnNames(prepared.statement));
  }

  /**
   * Reads rows as they are.
   *
   * @param compiled a compiled SELECT
   * @param values of its placeholders
   * @returns undefined where a number cannot hold one of their integers
   */
  readExact(compiled: Selection, values: readonly SqlValue[]): Row[] | undefined {
    const prepared = this.#statementOf(compiled);
    const isBounded = compiled.bounded === true;
    this.#begin(isBounded);
    let found: unknown[] | undefined;
    try {
      found = readNumbers(prepared.statement, values);
    } catch (error) {
      throw this.#failure(error, isBounded);
    }
    this.#assertDone();
    return found && toRows(found, prepared.names ??= columnNames(prepared.statement));
  }

  /**
   * Reads rows one group after the other, with a statement of its own: others may run on the connection meanwhile. Integers
   * that a number cannot hold come as text.
   *
   * When a step fails, `iterate()` of the driver gives no error but ends, so a last row of our own tells the end.
   *
   * @param compiled a compiled SELECT; where rows are text, its only column is `json`
   * @param values of its placeholders
   * @param options whether rows are text
   */
  groups(
    { sql, bounded = false }: Selection,
    values: readonly SqlValue[],
    { asText }: CursorOptions,
  ): Generator<readonly CursorRow[], void> {
    return asText ? this.#textGroups(sql, values, bounded) : this.#rowGroups(sql, values, bounded);
  }

  /** A function takes the texts as the statement goes along: there is one row for each group only. */
  *#textGroups(
    sql: string,
    values: readonly SqlValue[],
    bounded: boolean,
  ): Generator<readonly string[], void> {
    // the limit keeps the condition behind what the statement itself leaves out and how it sorts
    const statement = this.#db.prepare(
      `SELECT 0 AS "$end" FROM (SELECT json FROM (${sql}) LIMIT -1) WHERE fw_collect(json) UNION ALL SELECT 1`,
    );
    let group = this.#collected.begin();
    for (const _full of this.#steps(statement, values, bounded)) {
      yield group;
      // other statements of the connection have collected meanwhile
      group = this.#collected.begin();
    }
    if (group.length > 0) yield group;
  }

  *#rowGroups(
    sql: string,
    values: readonly SqlValue[],
    bounded: boolean,
  ): Generator<readonly Row[], void> {
    const nulls = this.#db.prepare(sql).columns().map(() => "NULL, ").join("");
    const statement = this.#db.prepare(`SELECT *, 0 AS "$end" FROM (${sql}) UNION ALL SELECT ${nulls}1`);
    statement.setReadBigInts(true);
    let group: Row[] = [];
    for (const row of this.#steps(statement, values, bounded)) {
      group.push(withoutEnd(row));
      if (group.length < CURSOR_ROWS) continue;
      yield group;
      group = [];
    }
    if (group.length > 0) yield group;
  }

  /** The rows of a statement up to the one with `$end`. */
  *#steps(
    statement: StatementSync,
    values: readonly SqlValue[],
    bounded: boolean,
  ): Generator<Row, void> {
    const rows = statement.iterate(...values) as Iterator<Row>;
    try {
      for (;;) {
        const { done, value } = this.#run(() => rows.next(), bounded);
        if (done) throw new Error("A statement failed before its last row");
        if (Number(value.$end) === 1) return;
        yield value;
      }
    } finally {
      // what is not reset keeps tables locked
      rows.return?.();
    }
  }

  /**
   * Runs a statement that changes something, found by the identity of its text.
   *
   * @param text the statement
   * @param values of its placeholders
   * @returns the number of rows
   */
  change(text: SqlText, values: readonly SqlValue[]): number {
    this.execute(text, values);
    // what the driver itself tells beside it takes longer
    return this.#statementOf(CHANGES).statement.get()![0] as number;
  }

  /**
   * Runs a statement like `change` whose number of rows is known or does not matter.
   *
   * @param text the statement
   * @param values of its placeholders
   */
  execute(text: SqlText, values: readonly SqlValue[]): void {
    const { statement } = this.#statementOf(text);
    this.#begin(false);
    try {
      statement.get(...values);
    } catch (error) {
      throw this.#failure(error, false);
    }
    this.#assertDone();
  }

  #statementOf(text: SqlText): Prepared {
    let prepared = this.#compiled.get(text);
    if (prepared === undefined) this.#compiled.set(text, prepared = this.#prepare(text.sql));
    return prepared;
  }

  /** Throws what functions could not while a statement ran, and gives its result otherwise. */
  #run<T>(work: () => T, isBounded = false): T {
    this.#begin(isBounded);
    let result: T;
    try {
      result = work();
    } catch (error) {
      throw this.#failure(error, isBounded);
    }
    this.#assertDone();
    return result;
  }

  /** A statement begins. */
  #begin(isBounded: boolean): void {
    this.#running.begin();
    this.#boundValues(isBounded);
  }

  /** What is to be thrown where a statement failed: what one of its functions could not throw, or the error itself. */
  #failure(error: unknown, isBounded: boolean): unknown {
    const isTooLarge = isBounded && (error as { readonly errcode?: unknown }).errcode === TOO_BIG;
    return this.#running.error ?? (isTooLarge ? answerTooLarge(this.#answerBytes) : error);
  }

  /** Throws what functions could not while a statement ran. */
  #assertDone(): void {
    const { error } = this.#running;
    if (error !== undefined) throw error;
  }

  /** No single value of an answer is larger than the answer: nested rows are one. */
  #boundValues(isBounded: boolean): void {
    const wanted = isBounded ? this.#answerBytes : this.#mostValueBytes;
    if (this.#valueBytes === wanted || this.#mostValueBytes === undefined) return;
    (this.#db as LimitedDatabase).limits!.length = this.#valueBytes = wanted!;
  }

  /** Whether a transaction is open: some errors end it. */
  get isInTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Closes the database. */
  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  /** The statements used last are kept; the text is never run by `exec`, whose errors carry no code. */
  #prepare(sql: string): Prepared {
    let prepared = this.#statements.get(sql);
    if (prepared === undefined) {
      prepared = { statement: withArrays(this.#db.prepare(sql)) };
      if (this.#statements.size >= STATEMENTS) this.#statements.delete(this.#statements.keys().next().value!);
    } else this.#statements.delete(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** A database whose driver has bounds: older ones have not, and the declarations do not know them yet. */
type LimitedDatabase = DatabaseSync & { readonly limits?: { length: number } };

/** A value beyond the bound. */
const TOO_BIG = 18;

interface Prepared {
  readonly statement: ArrayStatement;
  /** Names of its columns, once they are asked for. */
  names?: readonly string[];
}

/** Texts of rows, collected while a statement runs. */
class TextGroups {
  #texts: string[] = [];
  #characters = 0;

  /** The group that is filled from now on. */
  begin(): readonly string[] {
    this.#characters = 0;
    return this.#texts = [];
  }

  /** Adds a text; 1 where the group is full. */
  add(text: string): 0 | 1 {
    this.#texts.push(text);
    this.#characters += text.length;
    return this.#characters < CURSOR_TEXT ? 0 : 1;
  }
}
