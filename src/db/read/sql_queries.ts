/**
 * Queries compiled to SQL, by the model they are compiled against.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "../../config/limits.ts";
import type { DatabaseOptions } from "../../service/database.ts";
import type { Dialect } from "../render/dialect.ts";
import { type CompiledSelect, compileSelect } from "./compile_select.ts";
import { CompiledQueries } from "./compiled_queries.ts";
import type { EventContext } from "../../context/event_context.ts";
import type { LinkedModel } from "../../model/linked.ts";

/**
 * The compiled queries of a database that speaks SQL.
 *
 * @param options the model of the tables, and those of contexts
 * @param dialect the SQL of the database
 * @param settings `isWatched`: whether costly queries call `$step` as they go
 */
export function sqlQueries(
  options: Pick<DatabaseOptions, "model" | "modelOf" | "limits" | "binaries">,
  dialect: Dialect,
  { isWatched = false }: { readonly isWatched?: boolean } = {},
): QueriesByModel<CompiledSelect> {
  const { computedLength } = options.limits ?? DEFAULT_LIMITS;
  return queriesByModel(
    options,
    (model) =>
      new CompiledQueries((query, { localized, payload = false, values, types }) =>
        compileSelect(query, {
          model,
          dialect,
          isWatched,
          computedLength,
          localized,
          payload,
          binaries: options.binaries,
          values: values ? dialect.plainValue : undefined,
          types,
        })
      ),
  );
}

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
