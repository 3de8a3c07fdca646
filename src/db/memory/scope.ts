/**
 * What an expression sees while it is evaluated.
 *
 * @module
 */

import type { QueryParams, Row } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";

/** Rows and values that do not change during a query. */
export interface EvaluationContext {
  /** All rows of an entity as the transaction sees them, views evaluated. */
  rows(entity: LinkedEntity): readonly Row[];
  readonly params: QueryParams;
  /** Value of a pseudo variable: `$now`, `$user`, `$user.locale`, …; lists where any entry counts. */
  variable(path: readonly string[]): unknown;
}

/** Computes a value for a row. */
export type Evaluator = (row: Row, context: EvaluationContext) => unknown;

/** What a name in an expression refers to. */
export interface Scope {
  readonly entity: LinkedEntity;
  /** Alias of the source, which may stand as first step. */
  readonly alias?: string;
  /** Row of an outer scope and the names it is known by, for conditions of associations. */
  readonly outer?: { readonly entity: LinkedEntity; readonly row: Row };
}
