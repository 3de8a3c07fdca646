/**
 * Transactions of PostgreSQL whose statements somebody is told of.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { JsonRows, StatementWatch } from "../../service/database.ts";
import type { CursorOptions } from "../../service/row_cursor.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { RowsReader, Selection, StatementValues } from "../engine/driver.ts";
import { runWatched } from "../engine/watched_statement.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import type { WriteStatement } from "../write/statement_runner.ts";
import type { Statement } from "./pool.ts";
import type { PostgresCursor } from "./postgres_cursor.ts";
import { PostgresDriver, type PostgresHost, type SendOptions, valuesOf } from "./postgres_driver.ts";
import type { StatementResult } from "./statement_query.ts";

/** Tells of each statement, and of the end of transactions that hold a connection. */
export class WatchedPostgresDriver extends PostgresDriver {
  readonly #watch: StatementWatch;
  /** Whose statements are sent at this moment: those of queries do not run in their contexts. */
  #context: EventContext | undefined;

  /**
   * @param host the database
   * @param context whose transaction it is
   * @param watch is told
   */
  constructor(host: PostgresHost, context: EventContext, watch: StatementWatch) {
    super(host, context);
    this.#watch = watch;
  }

  override send<T>(
    statement: Statement,
    read: (result: StatementResult) => MaybePromise<T>,
    options?: SendOptions,
  ): Promise<T> {
    const ended = this.#watch(statement.sql, statement.values, this.#context);
    let rows: number | undefined;
    const counted = (result: StatementResult) => {
      rows = result.rowCount;
      ended({ rows });
      return read(result);
    };
    return super.send(statement, counted, options).catch((error) => {
      // what goes wrong behind the statement is no failure of it
      if (rows === undefined) ended({ error });
      throw error;
    });
  }

  override read<T>(selection: Selection<CompiledSelect>, reader: RowsReader<T>): Promise<T> {
    return this.#within(selection.context, () => super.read(selection, reader));
  }

  override readJson(selection: Selection<CompiledSelect>): Promise<JsonRows> {
    return this.#within(selection.context, () => super.readJson(selection));
  }

  override change(statement: WriteStatement, values: StatementValues): Promise<number> {
    return this.#within(values.context, () => super.change(statement, values));
  }

  override openCursor(
    selection: Selection<CompiledSelect>,
    options: CursorOptions,
  ): Promise<PostgresCursor | undefined> {
    const { sql, bindings } = selection.compiled;
    const statement = { watch: this.#watch, sql, values: valuesOf(bindings, selection) };
    return runWatched(statement, () => super.openCursor(selection, options));
  }

  override commit(): MaybePromise<void> {
    if (this.holdsNothing) return super.commit();
    return runWatched({ watch: this.#watch, sql: "COMMIT", values: [] }, () => super.commit());
  }

  override rollback(): MaybePromise<void> {
    if (this.holdsNothing) return super.rollback();
    return runWatched({ watch: this.#watch, sql: "ROLLBACK", values: [] }, () => super.rollback());
  }

  #within<T>(context: EventContext, send: () => T): T {
    this.#context = context;
    try {
      return send();
    } finally {
      this.#context = undefined;
    }
  }
}
