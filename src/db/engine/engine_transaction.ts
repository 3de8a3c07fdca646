/**
 * The transaction of all engines.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Query, QueryParams, Row, SchemaQuery, SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type {
  DatabaseTransaction,
  JsonRows,
  QueryResult,
  Rows,
  StatementPlan,
} from "../../service/database.ts";
import type { CursorOptions, EngineCursor } from "../../service/row_cursor.ts";
import { andThen, inTurn, type MaybePromise } from "../../util/maybe_promise.ts";
import { Turns } from "../../util/turns.ts";
import { schemaStatements } from "../ddl/render_ddl.ts";
import { ASIDE, callsFunctions, onlyReads, sqlName } from "../sql_name.ts";
import type { CompiledQueries, QueryReader, QueryVariant } from "../read/compiled_queries.ts";
import { insertNumbered } from "../write/insert.ts";
import { runWrite, type WriteQuery } from "../write/run_write.ts";
import { sqlValue } from "../write/sql_value.ts";
import type { Mark, StatementRunner, WriteStatement } from "../write/statement_runner.ts";
import {
  type Compiled,
  type Driver,
  type DriverCursor,
  type Engine,
  locksRows,
  Selection,
  transactionEnded,
} from "./driver.ts";
import { quote } from "../render/render_query.ts";
import { querySource } from "../../cqn/is_query.ts";

/** Literals, quoted names and comments, which stay as they are; or a name with dots. */
const PARTS = new RegExp(String.raw`${ASIDE}|[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)+`, "gu");

/**
 * Replaces full names of entities by the quoted names of their tables and views.
 *
 * @param text SQL
 * @param model whose entities they are
 */
function entitiesInSql(text: string, model: LinkedModel): string {
  if (!text.includes(".")) return text;
  return text.replace(PARTS, (part) => /^['"/-]/.test(part) ? part : tableName(part, model));
}

/** The longest start that names an entity; a column may follow it. */
function tableName(name: string, model: LinkedModel): string {
  for (let end = name.length; end > 0; end = name.lastIndexOf(".", end - 1)) {
    const start = name.slice(0, end);
    if (model.entity(start)) return quote(sqlName(start)) + name.slice(end);
  }
  return name;
}

/** What the parts of a transaction share: statements of other contexts, and writes that see more than their context. */
interface Shared<D> {
  readonly driver: D;
  /** Queries that write run one after the other. */
  readonly turns: Turns;
  cursors?: DriverCursor[];
  /** Rows of queued work by entity, which are inserted before the commit. */
  queued?: Map<string, Row[]>;
  ended: boolean;
}

/** Compiles queries, makes single statements of writes, and asks the driver of the engine to run them. */
export class EngineTransaction<S extends Compiled, D extends Driver<S>>
  implements DatabaseTransaction, StatementRunner {
  readonly model: LinkedModel;
  readonly context: EventContext;
  readonly #engine: Engine<S, D>;
  readonly #shared: Shared<D>;
  readonly #queries: CompiledQueries<S>;
  /** The one for statements of another context that was asked for last: mostly several come from the same. */
  #inner: EngineTransaction<S, D> | undefined;

  /**
   * @param engine the database
   * @param context gives user, locale and time
   * @param part what it shares with the transaction that it is a part of; whether reads follow the model of the tables,
   *   whatever the context sees
   */
  constructor(
    engine: Engine<S, D>,
    context: EventContext,
    { shared, seesAll = false }: { readonly shared?: Shared<D>; readonly seesAll?: boolean } = {},
  ) {
    this.#engine = engine;
    this.model = engine.model;
    this.context = context;
    this.#shared = shared ?? { driver: engine.open(context), turns: new Turns(), ended: false };
    this.#queries = seesAll ? engine.queries.compiled : engine.queries.compiledFor(context);
  }

  /** What the engine itself offers. */
  get driver(): D {
    return this.#shared.driver;
  }

  /** Whether nothing is to be given back at its end. */
  get holdsNothing(): boolean {
    const { driver, cursors, queued } = this.#shared;
    return driver.holdsNothing === true && cursors === undefined && queued === undefined;
  }

  /** The same transaction for statements of another context. */
  within(context: EventContext): EngineTransaction<S, D> {
    if (context === this.context) return this;
    if (this.#inner?.context === context) return this.#inner;
    return this.#inner = new EngineTransaction(this.#engine, context, { shared: this.#shared });
  }

  /** Runs a query. */
  run(query: Query, params: QueryParams = {}): MaybePromise<QueryResult> {
    this.#assertOpen();
    const { queued } = this.#shared;
    if (queued && asksFor(query, queued)) return andThen(this.#insertQueued(), () => this.run(query, params));
    if ("SELECT" in query || "SET" in query) return this.#read(query, params, false);
    const { driver, turns } = this.#shared;
    if (!driver.mark) return this.#write(query, params);
    if (turns.areTaken) return turns.take(() => this.#write(query, params));
    const result = this.#write(query, params);
    return result instanceof Promise ? turns.take(() => result) : result;
  }

  #write(query: WriteQuery, params: QueryParams): MaybePromise<QueryResult> {
    this.#assertOpen();
    const begun = this.#shared.driver.begin();
    return begun instanceof Promise
      ? begun.then(() => runWrite(this.#forWriting(), query, params))
      : runWrite(this.#forWriting(), query, params);
  }

  /** Runs a SELECT whose rows the database writes as JSON text; undefined where it writes none. */
  readJson(query: SelectQuery, params: QueryParams = {}): MaybePromise<JsonRows> | undefined {
    const { driver } = this.#shared;
    if (!driver.readJson) return undefined;
    this.#assertOpen();
    const isText = !query.SELECT.one && this.#engine.writesLists === true;
    return driver.readJson(this.#selection(query, params, isText ? JSON_TEXT : VALUES));
  }

  /** Runs a SELECT whose rows are taken one group after the other. */
  openCursor(
    query: SelectQuery,
    params: QueryParams = {},
    options: CursorOptions,
  ): MaybePromise<EngineCursor | undefined> {
    this.#assertOpen();
    const { driver } = this.#shared;
    if (!driver.openCursor || query.SELECT.one || locksRows({ query })) return undefined;
    const selection = this.#selection(query, params, options.asText ? JSON_TEXT : ROWS);
    return andThen(driver.openCursor(selection, options), (cursor) => cursor && this.#keep(cursor));
  }

  /** A cursor ends with the transaction, which may have ended while the cursor was opened. */
  #keep(cursor: DriverCursor): MaybePromise<EngineCursor> {
    (this.#shared.cursors ??= []).push(cursor);
    if (!this.#shared.ended) return cursor;
    return andThen(cursor.close(), (): never => {
      throw transactionEnded();
    });
  }

  /** Runs SQL text with placeholders `?`: rows of a query, the number of rows of anything else. */
  async sql(given: string, values: readonly unknown[] = []): Promise<unknown> {
    this.#assertOpen();
    const { driver } = this.#shared;
    await this.#insertQueued();
    const text = entitiesInSql(given, this.model);
    const bound = values.map((value) => sqlValue(value));
    const run = () => {
      if (driver.sql) return driver.sql(text, bound);
      throw new ServiceError({ status: 501, message: "The database does not run SQL text" });
    };
    // what functions write belongs to the transaction
    const isReading = onlyReads(text) && !(this.#engine.hasWritingFunctions && callsFunctions(text));
    return await (isReading ? run() : this.#writing(run));
  }

  /** The SQL of a query, and how the database reads its rows. */
  explain(given: SelectQuery | SetQuery, values: QueryParams = {}): MaybePromise<StatementPlan> | undefined {
    const { driver } = this.#shared;
    if (!driver.explain) return undefined;
    this.#assertOpen();
    const { query, params } = this.#queries.templates.get(given, values);
    const isCompiled = this.#queries.isKnown(query);
    return andThen(
      driver.explain(this.#selection(query, params, ROWS)),
      (plan) => ({ ...plan, isCompiled }),
    );
  }

  /** Creates or drops a table or view. */
  define(query: SchemaQuery): MaybePromise<unknown> {
    this.#assertOpen();
    const { driver } = this.#shared;
    const { target } = this.#engine;
    if (!driver.sql || !target) {
      throw new ServiceError({ status: 501, message: "The database has no tables to change" });
    }
    const [statement] = schemaStatements(query, this.model, target);
    return statement === undefined ? undefined : this.#writing(() => driver.sql!(statement, []));
  }

  /** Inserts a row of queued work before the commit, together with all others, or before a query that asks for them. */
  enqueue(entity: string, row: Row): void {
    this.#assertOpen();
    const queued = this.#shared.queued ??= new Map();
    const rows = queued.get(entity);
    if (rows) rows.push(row);
    else queued.set(entity, [row]);
  }

  /** Keeps other transactions that ask for the same name waiting. */
  turn(name: string): MaybePromise<unknown> {
    this.#assertOpen();
    return this.#engine.turn?.(this.#shared.driver, name);
  }

  #insertQueued(): MaybePromise<void> {
    const all = [...this.#shared.queued ?? []];
    this.#shared.queued = undefined;
    return inTurn(
      all,
      ([entity, rows]) => this.#writing(() => insertNumbered(this.#forWriting(), entity, rows)),
    );
  }

  /** Writes are there for others from now on. */
  commit(): MaybePromise<void> {
    return this.#shared.queued
      ? andThen(this.#insertQueued(), () => this.#end("commit"))
      : this.#end("commit");
  }

  /** Writes are undone. */
  rollback(): MaybePromise<void> {
    return this.#end("rollback");
  }

  /** Changes rows of a table. */
  change(statement: WriteStatement, params: QueryParams = {}): MaybePromise<number> {
    this.#assertOpen();
    const { driver } = this.#shared;
    const values = { params, context: this.context };
    const begun = driver.begin();
    return begun instanceof Promise
      ? begun.then(() => driver.change(statement, values))
      : driver.change(statement, values);
  }

  /** Marks the state of the data. */
  mark(): Mark | undefined {
    return this.#shared.driver.mark?.();
  }

  /** Reads rows that a write depends on. */
  select(query: SelectQuery, params: QueryParams = {}): MaybePromise<readonly Row[]> {
    this.#assertOpen();
    const found = this.#read({ SELECT: { ...query.SELECT, history: true } }, params, true);
    return andThen(found, (rows) => Array.isArray(rows) ? rows : rows ? [rows] : []);
  }

  #writing<T>(run: () => MaybePromise<T>): MaybePromise<T> {
    const { driver, turns } = this.#shared;
    const write = () => {
      this.#assertOpen();
      return andThen(driver.begin(), run);
    };
    return driver.mark ? turns.take(write) : write();
  }

  /** Writes fill and follow all there is, also what the context does not see. */
  #forWriting(): EngineTransaction<S, D> {
    if (this.#queries === this.#engine.queries.compiled) return this;
    return new EngineTransaction(this.#engine, this.context, { shared: this.#shared, seesAll: true });
  }

  #read(
    given: SelectQuery | SetQuery,
    values: QueryParams,
    isForWrite: boolean,
  ): MaybePromise<Rows | Row | null> {
    const { query, params } = this.#queries.templates.get(given, values);
    return this.#shared.driver.read(this.#selection(query, params, isForWrite ? ROWS_TO_WRITE : ROWS));
  }

  #selection(
    query: SelectQuery | SetQuery,
    params: QueryParams,
    { as, isForWrite }: Reading,
  ): Selection<S> {
    const { context } = this;
    const { isTyped, exactNumbers } = this.#engine;
    const localized = isLocalized(query, context);
    const reader = isTyped ? { localized, params } : localized ? LOCALIZED : UNLOCALIZED;
    const isExact = exactNumbers === true && !isForWrite;
    return new Selection(this.#queries, { query, params, context, reader, as, isForWrite, isExact });
  }

  #end(how: "commit" | "rollback"): MaybePromise<void> {
    const { driver, cursors, ended } = this.#shared;
    if (ended) return;
    this.#shared.ended = true;
    if (!cursors) return driver[how]();
    // those that are detached go on behind a commit
    const closing = cursors.filter(({ isDetached }) => how === "rollback" || !isDetached);
    return andThen(inTurn(closing, (cursor) => cursor.close()), () => driver[how]());
  }

  #assertOpen(): void {
    if (this.#shared.ended) throw transactionEnded();
  }
}

/** Whether a query begins at one of some entities. */
function asksFor(query: Query, entities: ReadonlyMap<string, unknown>): boolean {
  const from = querySource(query);
  const [first] = typeof from === "object" && "ref" in from ? from.ref : [from];
  const name = typeof first === "object" && "id" in first ? first.id : first;
  return typeof name !== "string" || entities.has(name);
}

const LOCALIZED: QueryReader = { localized: true };
const UNLOCALIZED: QueryReader = { localized: false };

/** How a query is compiled, and what for. */
interface Reading {
  readonly as: QueryVariant;
  readonly isForWrite: boolean;
}

const ROWS: Reading = { as: {}, isForWrite: false };
const ROWS_TO_WRITE: Reading = { as: {}, isForWrite: true };
const VALUES: Reading = { as: { payload: true, values: true }, isForWrite: false };
const JSON_TEXT: Reading = { as: { payload: true }, isForWrite: false };

/**
 * Whether localized elements are read in the locale of a context.
 *
 * @param query asks for it
 * @param context has a locale
 */
function isLocalized(query: SelectQuery | SetQuery, context: EventContext): boolean {
  return "SELECT" in query && query.SELECT.localized === true && context.locale !== undefined;
}
