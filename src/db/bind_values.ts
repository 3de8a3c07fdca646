/**
 * The values of placeholders: literals, parameters and pseudo variables.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import type { QueryParams } from "../cqn/cqn.ts";
import { contextVariable } from "./context_variable.ts";
import type { Binding } from "./render/binding.ts";
import { rowCount } from "./row_count.ts";
import { type SqlValue, sqlValue } from "./write/sql_value.ts";

/** What values are taken from. */
export interface ValueSource {
  /** Parameters of the query. */
  readonly params: QueryParams;
  /** Gives pseudo variables. */
  readonly context: EventContext;
}

/**
 * The values to bind.
 *
 * @param bindings where they come from
 * @param from parameters of the query and the context
 * @param listText writes a list as one value; default: JSON
 */
export function bindValues(
  bindings: readonly Binding[],
  from: ValueSource,
  listText: (values: readonly SqlValue[]) => string = JSON.stringify,
): SqlValue[] {
  return bindings.map((binding) => {
    const value = valueOf(binding, from);
    if (binding.count) return rowCount(value);
    if (binding.list) return listText(listOf(value));
    return sqlValue(Array.isArray(value) ? value[0] : value);
  });
}

function valueOf(
  binding: Binding,
  { params, context }: ValueSource,
): unknown {
  if (binding.kind === "value") return binding.value;
  return binding.kind === "param" ? params[binding.name] : contextVariable(binding.path, context);
}

function listOf(value: unknown): readonly SqlValue[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((item) => sqlValue(item));
}
