/**
 * What a write does to one table, for engines to render or to carry out.
 *
 * @module
 */

import type { Expr, TreeSelect } from "../../algebra/tree.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import type { SqlValue } from "./sql_value.ts";

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
