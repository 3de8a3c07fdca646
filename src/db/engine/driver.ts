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
import type { QueriesByModel, QueryVariant } from "../read/compiled_queries.ts";
import type { SqlValue } from "../write/sql_value.ts";
import type { Mark, WriteStatement } from "../write/statement_runner.ts";

/** What every engine knows of a SELECT that it has compiled. */
export type Compiled = Omit<PreparedSelect, "query">;

/** Where the values of a statement come from. */
export interface StatementValues {
  readonly params: QueryParams;
  readonly context: EventContext;
}

/** A SELECT to run. */
export interface Selection<S> extends StatementValues {
  readonly query: SelectQuery | SetQuery;
  readonly compiled: S;
  /** The same query compiled in another way. */
  readonly compile: (as: QueryVariant) => S;
  /** Whether a write depends on its rows. */
  readonly isForWrite: boolean;
}

/** Takes rows as the database gives them, and their number ignoring the limit where it is asked for. */
export type RowsReader<T> = (rows: Rows, count: number | undefined) => T;

/** A cursor that knows whether it outlives the commit of its transaction. */
export interface DriverCursor extends EngineCursor {
  readonly isDetached: boolean;
}

/** One transaction of a database, which all statements of all contexts in it share. */
export interface Driver<S> {
  /** Whether there is no lock and no connection that the end of the transaction would give back; optional. */
  readonly holdsNothing?: boolean;
  /** Reads rows; those that are to be locked are kept until the end. */
  read<T>(selection: Selection<S>, reader: RowsReader<T>): MaybePromise<T>;
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
export interface Engine<S, D extends Driver<S>> {
  readonly model: LinkedModel;
  readonly queries: QueriesByModel<S>;
  /** Begins the transaction of a context: nothing is locked before its first statement. */
  readonly open: (context: EventContext) => D;
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
  { compiled, compile }: Selection<S>,
  isNeeded: boolean = compiled.limited,
): S | undefined {
  return compiled.count && isNeeded ? compile(COUNTING) : undefined;
}

/** The number of rows ignoring the limit where it is asked for, of rows that were read and counted. */
export function countOf(
  { compiled }: Selection<Compiled>,
  rows: readonly unknown[],
  counts: readonly Row[] | undefined,
): number | undefined {
  return counts ? Number(counts[0]!.count) : compiled.count ? rows.length : undefined;
}

/** Whether rows are to be locked. */
export function locksRows({ query }: Pick<Selection<unknown>, "query">): boolean {
  return "SELECT" in query && Boolean(query.SELECT.forUpdate || query.SELECT.forShareLock);
}

/** What whoever asks a transaction for something gets when it has ended. */
export function transactionEnded(): Error {
  return new Error("The transaction has ended already");
}
