/**
 * Parts of transactions: statements of other contexts, and writes that see more than their context does.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import type { CompiledQueries } from "./read/compiled_queries.ts";
import type { QueriesByModel } from "./read/queries_by_model.ts";

/** A part of a transaction, with the state that all parts share. */
export interface TransactionPart<State> {
  readonly state?: State;
  /** Reads follow the model of the tables, whatever the context sees. */
  readonly sees?: "all";
}

/**
 * The queries that a part of a transaction runs.
 *
 * @param host the compiled queries of the database
 * @param context what is visible
 * @param part the part
 */
export function queriesOf<T>(
  host: QueriesByModel<T>,
  context: EventContext,
  { sees }: TransactionPart<unknown>,
): CompiledQueries<T> {
  return sees ? host.compiled : host.compiledFor(context);
}
