/**
 * `compute`: properties beside those that there are (Data Aggregation 4.0, 3.2.2).
 *
 * @module
 */

import type { ComputeItem } from "../../url/ast.ts";
import { badRequest } from "../plan_error.ts";
import { planValue } from "../expressions/plan_expression.ts";
import { assertSize } from "../options/query_size.ts";
import { isTaken } from "./aggregates.ts";
import { scopeOf, type State } from "./state.ts";

/**
 * Adds properties.
 *
 * @param items expressions with names
 * @param state the rows
 * @returns the rows with the properties
 */
export function computed(
  items: readonly ComputeItem[],
  state: State,
): State {
  return items.reduce<State>((before, { expr, name, offset }) => {
    const scope = scopeOf(before);
    if (
      isTaken(name, scope.computed.keys()) || scope.joined?.has(name) ||
      (!scope.closed && scope.entity.$flat.has(name))
    ) {
      throw badRequest(`The name "${name}" is taken`, offset);
    }
    const value = planValue(expr, scope);
    assertSize([value.expr], scope.bindings.limits.queryNodes, offset);
    if (before.kind === "rows") {
      return { ...before, scope: { ...before.scope, computed: new Map([...scope.computed, [name, value]]) } };
    }
    return { ...before, properties: [...before.properties, { name, path: [name], value }] };
  }, state);
}
