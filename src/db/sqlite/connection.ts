/**
 * One connection of `node:sqlite` with its prepared statements.
 *
 * @module
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Row } from "../../cqn/cqn.ts";
import type { SqlValue } from "../write/sql_value.ts";
import { type FunctionFailure, registerFunctions } from "./sql_functions.ts";

const STATEMENTS = 500;

/** How a connection is opened. */
export interface ConnectionOptions {
  /** Path of the file, or `:memory:`. */
  readonly file: string;
  readonly readOnly?: boolean;
  /** How long a statement waits for locks of other processes. */
  readonly timeoutMs: number;
}

/** An open database. Everything it does is synchronous. */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #failure: FunctionFailure;
  readonly #statements: Map<string, StatementSync> = new Map();
  readonly #compiled: WeakMap<object, StatementSync> = new WeakMap();

  /** @param options where the database is and how it is opened */
  constructor({ file, readOnly = false, timeoutMs }: ConnectionOptions) {
    this.#db = new DatabaseSync(file, { readOnly, timeout: timeoutMs });
    this.#failure = registerFunctions(this.#db);
    if (file !== ":memory:" && !readOnly) {
      this.change("PRAGMA journal_mode = WAL", []);
      this.change("PRAGMA synchronous = NORMAL", []);
    }
  }

  /**
   * Reads rows.
   *
   * @param sql text of the statement
   * @param values of its placeholders
   */
  all(sql: string, values: readonly SqlValue[]): Row[] {
    return this.#checked(() => this.#prepare(sql).all(...values) as Row[]);
  }

  /**
   * Reads rows with a compiled statement, found by its identity.
   *
   * @param compiled a compiled SELECT
   * @param values of its placeholders
   */
  read(
    compiled: { readonly sql: string },
    values: readonly SqlValue[],
  ): Row[] {
    const statement = this.#compiled.get(compiled) ?? this.#prepare(compiled.sql);
    this.#compiled.set(compiled, statement);
    return this.#checked(() => readAll(statement, values));
  }

  /**
   * Runs a statement that changes something.
   *
   * @param sql text of the statement
   * @param values of its placeholders
   * @returns the number of rows
   */
  change(sql: string, values: readonly SqlValue[]): number {
    return Number(this.#checked(() => this.#prepare(sql).run(...values)).changes);
  }

  /** Runs a statement, and throws what its functions could not. */
  #checked<T>(run: () => T): T {
    this.#failure.error = undefined;
    const result = run();
    const { error } = this.#failure;
    if (error !== undefined) throw error;
    return result;
  }

  /** Closes the database. */
  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  /** The statements used last are kept; the text is never run by `exec`, whose errors carry no code. */
  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      if (this.#statements.size >= STATEMENTS) this.#statements.delete(this.#statements.keys().next().value!);
    } else this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** Reads rows; integers that a number cannot hold come as text. */
function readAll(statement: StatementSync, values: readonly SqlValue[]): Row[] {
  try {
    return statement.all(...values) as Row[];
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_OUT_OF_RANGE") throw error;
  }
  // Decimals without fraction are integers to SQLite, and may be larger than those a number can hold.
  statement.setReadBigInts(true);
  try {
    return (statement.all(...values) as Row[]).map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toNumberOrText(value)]))
    );
  } finally {
    statement.setReadBigInts(false);
  }
}

function toNumberOrText(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}
