/**
 * What writing needs from an engine.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { QueryParams, Row, SelectQuery } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Expr, TreeSelect } from "../../algebra/tree.ts";
import type { SqlValue } from "./sql_value.ts";

/** A state of the data in a transaction. Only the newest one is used. */
export interface Mark {
  /** Returns to it, unless the transaction has ended meanwhile. */
  undo(): unknown;
  /** Forgets it. */
  release(): unknown;
}

/** Runs statements in one transaction. */
export interface StatementRunner {
  readonly model: LinkedModel;
  readonly context: EventContext;
  /** Changes rows of one table; gives their number. */
  change(statement: WriteStatement, params?: QueryParams): MaybePromise<number>;
  /** Marks the state of the data; undefined where nothing can follow a statement that failed. */
  mark(): Mark | undefined;
  /** Runs a SELECT; only inside a transaction that may write. */
  select(query: SelectQuery, params?: QueryParams): MaybePromise<readonly Row[]>;
}

/** A column with its new value. */
export type Assignment =
  | { readonly column: FlatElement; readonly value: SqlValue }
  | { readonly column: FlatElement; readonly expression: Expr };

/** The columns that rows are inserted into: the same object for all rows that have values for the same ones. */
export interface InsertColumns {
  readonly table: LinkedEntity;
  readonly columns: readonly FlatElement[];
  /** A column behind them that takes the next number of queued work from the database. */
  readonly numbered?: FlatElement;
}

/** Rows to insert. */
export interface InsertStatement {
  readonly kind: "insert";
  /** Engines keep what they make of it. */
  readonly into: InsertColumns;
  /** The values of each row; there is one row only, where there are no columns. */
  readonly rows: readonly (readonly SqlValue[])[];
}

/** A write on one table. Expressions and queries are lowered; the alias of the table is its name in the database. */
export type WriteStatement =
  | InsertStatement
  | {
    readonly kind: "insertFrom";
    readonly table: LinkedEntity;
    readonly columns: readonly FlatElement[];
    readonly query: TreeSelect;
  }
  | {
    readonly kind: "update";
    readonly table: LinkedEntity;
    readonly set: readonly Assignment[];
    readonly where?: Expr;
  }
  | { readonly kind: "delete"; readonly table: LinkedEntity; readonly where?: Expr };
