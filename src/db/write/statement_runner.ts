/**
 * What writing needs from an engine.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { QueryParams, Row, SelectQuery } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { WriteStatement } from "./write_statement.ts";

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
