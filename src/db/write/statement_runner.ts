/**
 * What writing needs from an engine.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { QueryParams, Row, SelectQuery } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { Dialect } from "../render/dialect.ts";
import type { Binding } from "../render/render_query.ts";
import type { SqlValue } from "./sql_value.ts";

/** Runs statements in one transaction. */
export interface StatementRunner {
  readonly model: LinkedModel;
  readonly dialect: Dialect;
  readonly context: EventContext;
  /** Runs a statement that changes rows; gives their number. */
  change(sql: string, values: readonly SqlValue[]): Promise<number>;
  /** Runs a SELECT; only inside a transaction that may write. */
  select(query: SelectQuery, params?: QueryParams): Promise<readonly Row[]>;
  /** The values of placeholders. */
  values(bindings: readonly Binding[], params: QueryParams): SqlValue[];
}
