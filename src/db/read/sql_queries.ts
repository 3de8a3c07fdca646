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
import { type QueriesByModel, queriesByModel } from "./queries_by_model.ts";

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
