/**
 * A transaction of D1 or of a Durable Object.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Query, QueryParams, Row, SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { DatabaseTransaction, QueryResult, Rows } from "../../service/database.ts";
import { andThen, type MaybePromise, orElse } from "../../util/maybe_promise.ts";
import { Turns } from "../../util/turns.ts";
import { bindValues } from "../bind_values.ts";
import { entitiesInSql } from "../entities_in_sql.ts";
import { onlyReads } from "../plain_sql.ts";
import type { CompiledSelect } from "../read/compile_select.ts";
import { isLocalized, type QueryVariant, typesOf } from "../read/compiled_queries.ts";
import type { QueriesByModel } from "../read/queries_by_model.ts";
import type { Binding } from "../render/binding.ts";
import { queriesOf, type TransactionPart } from "../transaction_part.ts";
import { runWrite } from "../write/run_write.ts";
import { sqlValue } from "../write/sql_value.ts";
import type { Mark, StatementRunner } from "../write/statement_runner.ts";
import type { WriteStatement } from "../write/write_statement.ts";
import { commitStatements } from "./commit_statements.ts";
import { d1Error } from "./d1_error.ts";
import { type OverlaidView, throughPending } from "./overlay.ts";
import { PendingRows } from "./pending_rows.ts";
import { writePending } from "./pending_write.ts";
import type { SqlDriver, SqlStatement } from "./sql_driver.ts";

/** What a transaction takes from its database. */
export interface D1Host extends QueriesByModel<CompiledSelect> {
  readonly model: LinkedModel;
  readonly driver: SqlDriver;
  /** The database checks foreign keys. */
  readonly foreignKeys: boolean;
  /** All views of the database, each after what it reads. */
  readonly views: readonly OverlaidView[];
}

/** What all parts of a transaction share. */
interface TransactionState {
  readonly pending: PendingRows;
  /** Queries that write run one after the other. */
  readonly turns: Turns;
  ended: boolean;
}

/**
 * Reads see what is committed at the time (READ COMMITTED) and, over it, what the transaction itself has written. Writes
 * are sent with the commit, all in one batch, which takes effect as a whole or not at all. A row that the transaction has
 * changed or deleted must then be what it was when the transaction read it: changes of others are never lost, and the
 * first one to commit wins.
 */
export class D1Transaction implements DatabaseTransaction, StatementRunner {
  readonly model: LinkedModel;
  readonly context: EventContext;
  readonly #host: D1Host;
  readonly #state: TransactionState;
  readonly #queries: D1Host["compiled"];

  /**
   * @param host the database
   * @param context gives user, locale and time
   * @param part the transaction this one is a part of
   */
  constructor(host: D1Host, context: EventContext, part: TransactionPart<TransactionState> = {}) {
    this.#host = host;
    this.model = host.model;
    this.context = context;
    this.#state = part.state ?? { pending: new PendingRows(host.model), turns: new Turns(), ended: false };
    this.#queries = queriesOf(host, context, part);
  }

  /** The same transaction for statements of another context. */
  within(context: EventContext): D1Transaction {
    if (context === this.context) return this;
    return new D1Transaction(this.#host, context, { state: this.#state });
  }

  /** Runs a query. */
  run(query: Query, params: QueryParams = {}): MaybePromise<QueryResult> {
    this.#assertOpen();
    if ("SELECT" in query || "SET" in query) return this.#read(query, params);
    return this.#state.turns.take(() => runWrite(this.#forWriting(), query, params));
  }

  /** Runs SQL text that reads. */
  async sql(given: string, values: readonly unknown[] = []): Promise<unknown> {
    this.#assertOpen();
    const sql = entitiesInSql(given, this.model);
    if (!onlyReads(sql)) {
      const message =
        "Plain SQL that changes rows cannot be part of a transaction here; write a query instead";
      throw new ServiceError({ status: 501, message });
    }
    const [rows] = await this.#run([{ sql, values: values.map((value) => sqlValue(value)) }]);
    return rows;
  }

  /** Sends the writes. */
  commit(): MaybePromise<void> {
    if (this.#state.ended) return;
    this.#state.ended = true;
    const statements = commitStatements(this.#state.pending.tables, this.#host);
    if (statements.length === 0) return;
    return andThen(this.#guard(() => this.#host.driver.write(statements)), () => undefined);
  }

  /** Forgets the writes. */
  rollback(): void {
    this.#state.ended = true;
  }

  /** Changes rows of a table. */
  change(statement: WriteStatement, params: QueryParams = {}): MaybePromise<number> {
    this.#assertOpen();
    return writePending(this.#writer(params), statement, params);
  }

  /** Marks what is pending, to return to it. */
  mark(): Mark {
    return this.#state.pending.mark();
  }

  /** Reads rows that a write depends on. */
  async select(query: SelectQuery, params: QueryParams = {}): Promise<readonly Row[]> {
    const select = { ...query.SELECT, history: true, forUpdate: false };
    const result = await this.#read({ SELECT: select }, params);
    return (Array.isArray(result) ? result : result ? [result] : []) as readonly Row[];
  }

  #writer(params: QueryParams) {
    return {
      model: this.model,
      pending: this.#state.pending,
      types: typesOf(params),
      read: (sql: string, bindings: readonly Binding[], params: QueryParams) =>
        andThen(this.#run([this.#statement({ sql, bindings }, params)]), ([rows]) => rows),
    };
  }

  /** Writes fill and follow all there is, also what the context does not see. */
  #forWriting(): D1Transaction {
    if (this.#queries === this.#host.compiled) return this;
    return new D1Transaction(this.#host, this.context, { state: this.#state, sees: "all" });
  }

  #read(given: SelectQuery | SetQuery, values: QueryParams): MaybePromise<Rows | Row | null> {
    const { query, params } = this.#queries.templates.get(given, values);
    if ("SELECT" in query && (query.SELECT.forUpdate || query.SELECT.forShareLock)) {
      const message = "Rows cannot be locked here; a commit fails when others have changed the same rows";
      throw new ServiceError({ status: 501, message });
    }
    const compiled = this.#compile(query, params);
    const counting = compiled.count && compiled.limited
      ? [this.#compile(query, params, { counting: true })]
      : [];
    const statements = [compiled, ...counting].map((one) => this.#statement(one, params));
    return andThen(this.#run(statements), ([found, counts]) => {
      const rows: Rows = found;
      for (const read of compiled.readers) for (const row of rows) read(row);
      if (compiled.one) return rows[0] ?? null;
      if (!compiled.count) return rows;
      return Object.assign(rows, { $count: counts ? Number(counts[0].count) : rows.length });
    });
  }

  #compile(query: SelectQuery | SetQuery, params: QueryParams, as?: QueryVariant): CompiledSelect {
    return this.#queries.get(query, { localized: isLocalized(query, this.context), params }, as);
  }

  #statement(
    { sql, bindings }: { readonly sql: string; readonly bindings: readonly Binding[] },
    params: QueryParams,
  ): SqlStatement {
    return { sql, values: bindValues(bindings, { params, context: this.context }) };
  }

  /** Reads through what is pending. */
  #run(statements: readonly SqlStatement[]): MaybePromise<readonly Row[][]> {
    const { driver, views } = this.#host;
    const { tables } = this.#state.pending;
    const seen = tables.length === 0
      ? statements
      : statements.map((statement) => throughPending(statement, tables, views));
    return this.#guard(() => driver.read(seen));
  }

  #guard<T>(run: () => MaybePromise<T>): MaybePromise<T> {
    return orElse(run, (error) => {
      throw d1Error(error, this.model);
    });
  }

  #assertOpen(): void {
    if (this.#state.ended) throw new Error("The transaction has ended already");
  }
}
