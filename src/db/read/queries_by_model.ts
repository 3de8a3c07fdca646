/**
 * Compiled queries by the model they are compiled against: contexts with other feature toggles see other elements.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { DatabaseOptions } from "../../service/database.ts";
import type { CompiledQueries } from "./compiled_queries.ts";

/** Compiled queries of all models of a database. */
export interface QueriesByModel<T> {
  /** Queries against the model of the tables, which those follow that belong to a write. */
  readonly compiled: CompiledQueries<T>;
  /** Queries against the model that a context sees. */
  readonly compiledFor: (context: EventContext) => CompiledQueries<T>;
}

/**
 * The compiled queries of a database; those of a model live as long as it does.
 *
 * @param options the model of the tables, and those of contexts
 * @param create begins with a model
 */
export function queriesByModel<T>(
  { model, modelOf }: Pick<DatabaseOptions, "model" | "modelOf">,
  create: (model: LinkedModel) => CompiledQueries<T>,
): QueriesByModel<T> {
  const compiled = create(model);
  if (modelOf === undefined) return { compiled, compiledFor: () => compiled };
  const known: WeakMap<LinkedModel, CompiledQueries<T>> = new WeakMap([[model, compiled]]);
  return {
    compiled,
    compiledFor: (context) => {
      const visible = modelOf(context);
      let queries = known.get(visible);
      if (!queries) known.set(visible, queries = create(visible));
      return queries;
    },
  };
}
