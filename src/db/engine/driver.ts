/**
 * What engines differ in: everything else about transactions and databases is `EngineTransaction` and `EngineDatabase`.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { QueryParams, Row, SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { JsonRows, Rows, StatementPlan } from "../../service/database.ts";
import type { CursorOptions, EngineCursor } from "../../service/row_cursor.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { TableOptions } from "../ddl/table_ddl.ts";
import type { PreparedSelect } from "../read/compile_select.ts";
import type { CompiledQueries, QueriesByModel, QueryReader, QueryVariant } from "../read/compiled_queries.ts";
import type { SqlValue } from "../write/sql_value.ts";
import type { Mark, WriteStatement } from "../write/statement_runner.ts";

/** What every engine knows of a SELECT that it has compiled. */
export type Compiled = Omit<PreparedSelect, "query">;

/** Where the values of a statement come from. */
export interface StatementValues {
  readonly params: QueryParams;
  readonly context: EventContext;
}

/** What a SELECT to run is made from. */
export interface SelectionProperties extends StatementValues {
  readonly query: SelectQuery | SetQuery;
  /** For whom it is compiled. */
  readonly reader: QueryReader;
  /** What it gives. */
  readonly as: QueryVariant;
  /** Whether a write depends on its rows. */
  readonly isForWrite: boolean;
  /** Whether numbers that JavaScript may round become texts. */
  readonly isExact: boolean;
}

/** A SELECT to run. */
export class Selection<S extends Compiled> implements StatementValues {
  readonly query: SelectQuery | SetQuery;
  readonly params: QueryParams;
  readonly context: EventContext;
  readonly compiled: S;
  /** Whether a write depends on its rows. */
  readonly isForWrite: boolean;
  readonly #queries: CompiledQueries<S>;
  readonly #reader: QueryReader;
  readonly #isExact: boolean;

  /**
   * Compiles a query, unless that has happened before.
   *
   * @param queries those that are compiled
   * @param properties the query, and what it is for
   */
  constructor(queries: CompiledQueries<S>, properties: SelectionProperties) {
    this.query = properties.query;
    this.params = properties.params;
    this.context = properties.context;
    this.isForWrite = properties.isForWrite;
    this.#queries = queries;
    this.#reader = properties.reader;
    this.#isExact = properties.isExact;
    this.compiled = queries.get(properties.query, properties.reader, properties.as);
  }

  /** The same query compiled in another way. */
  compile(as: QueryVariant): S {
    return this.#queries.get(this.query, this.#reader, as);
  }

  /**
   * What the query gives.
   *
   * @param rows as the database gives them, which are changed
   * @param count their number ignoring the limit, where it is asked for
   */
  result(rows: Rows, count: number | undefined): Rows | Row | null {
    const { readers, one } = this.compiled;
    for (const read of readers) for (const row of rows) read(row);
    if (this.#isExact) { for (const read of this.compiled.exactReaders()) for (const row of rows) read(row); }
    if (one) return rows[0] ?? null;
    return count === undefined ? rows : Object.assign(rows, { $count: count });
  }
}

/** A cursor that knows whether it outlives the commit of its transaction. */
export interface DriverCursor extends EngineCursor {
  readonly isDetached: boolean;
}

/** One transaction of a database, which all statements of all contexts in it share. */
export interface Driver<S extends Compiled> {
  /** Whether there is no lock and no connection that the end of the transaction would give back; optional. */
  readonly holdsNothing?: boolean;
  /** Gives the result of a selection of rows; those that are to be locked are kept until the end. */
  read(selection: Selection<S>): MaybePromise<Rows | Row | null>;
  /** Reads rows as JSON text in the format of OData payloads; optional. */
  readJson?(selection: Selection<S>): MaybePromise<JsonRows>;
  /** Opens a cursor; optional. Undefined where all rows should rather be read at once. */
  openCursor?(selection: Selection<S>, options: CursorOptions): MaybePromise<DriverCursor | undefined>;
  /** The text of a statement and how the database reads its rows; optional. */
  explain?(selection: Selection<S>): MaybePromise<Omit<StatementPlan, "isCompiled">>;
  /** Makes sure that the transaction may write, and keeps those out that must not write beside it. */
  begin(): MaybePromise<unknown>;
  /** Changes rows of one table once the transaction may write; gives their number. */
  change(statement: WriteStatement, values: StatementValues): MaybePromise<number>;
  /** Runs SQL text, which changes rows in transactions that may write only; optional. */
  sql?(text: string, values: readonly SqlValue[]): MaybePromise<unknown>;
  /**
   * Marks the state of the data, to return to it; not there where a statement that failed ends the transaction. Where it is
   * there, queries that write take turns.
   */
  mark?(): Mark;
  /** Makes the changes permanent; called once, as is `rollback`. */
  commit(): MaybePromise<void>;
  /** Undoes all changes. */
  rollback(): MaybePromise<void>;
}

/** A database as its transactions need it. */
export interface Engine<S extends Compiled, D extends Driver<S>> {
  readonly model: LinkedModel;
  readonly queries: QueriesByModel<S>;
  /** Begins the transaction of a context: nothing is locked before its first statement. */
  readonly open: (context: EventContext) => D;
  /**
   * Keeps other transactions that ask for the same name waiting until this one ends; undefined for engines without queues.
   */
  readonly turn?: (driver: D, name: string) => MaybePromise<unknown>;
  /** How tables are created: the SQL of the database, and whether it checks foreign keys. */
  readonly target?: Partial<TableOptions>;
  /** Whether whoever reads gets numbers of Decimal and Int64 as texts. */
  readonly exactNumbers?: boolean;
  /** Whether SELECTs are compiled for the types of the values of their parameters. */
  readonly isTyped?: boolean;
  /** Whether it writes JSON of several rows faster than this process does. */
  readonly writesLists?: boolean;
  /** Whether functions that plain SQL calls may write. */
  readonly hasWritingFunctions?: boolean;
}

const COUNTING: QueryVariant = { counting: true };

/**
 * The query that counts the rows of another one ignoring its limit.
 *
 * @param selection the other one
 * @param isNeeded whether its rows do not tell their number; default: where it has a limit
 * @returns undefined where its rows are not counted
 */
export function countingOf<S extends Compiled>(
  selection: Selection<S>,
  isNeeded: boolean = selection.compiled.limited,
): S | undefined {
  return selection.compiled.count && isNeeded ? selection.compile(COUNTING) : undefined;
}

/** The number of rows ignoring the limit where it is asked for, of rows that were read and counted. */
export function countOf(
  { compiled }: { readonly compiled: Compiled },
  rows: readonly unknown[],
  counts: readonly Row[] | undefined,
): number | undefined {
  return counts ? Number(counts[0]!.count) : compiled.count ? rows.length : undefined;
}

/** Whether rows are to be locked. */
export function locksRows({ query }: { readonly query: SelectQuery | SetQuery }): boolean {
  return "SELECT" in query && Boolean(query.SELECT.forUpdate || query.SELECT.forShareLock);
}

/** What whoever asks a transaction for something gets when it has ended. */
export function transactionEnded(): Error {
  return new Error("The transaction has ended already");
}
