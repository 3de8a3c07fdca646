/**
 * What a write does to one table, for engines to render or to carry out.
 *
 * @module
 */

import type { Expression, SelectQuery, Xo } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import type { SqlValue } from "./sql_value.ts";

/** A column with its new value. */
export type Assignment =
  | { readonly column: FlatElement; readonly value: SqlValue }
  | { readonly column: FlatElement; readonly expression: Expression };

/** A write on one table. Expressions and queries are lowered; the alias of the table is its name in the database. */
export type WriteStatement =
  | {
    readonly kind: "insert";
    readonly table: LinkedEntity;
    readonly columns: readonly FlatElement[];
    readonly values: readonly SqlValue[];
  }
  | {
    readonly kind: "insertFrom";
    readonly table: LinkedEntity;
    readonly columns: readonly FlatElement[];
    readonly query: SelectQuery;
  }
  | {
    readonly kind: "update";
    readonly table: LinkedEntity;
    readonly set: readonly Assignment[];
    readonly where?: readonly Xo[];
  }
  | { readonly kind: "delete"; readonly table: LinkedEntity; readonly where?: readonly Xo[] };
