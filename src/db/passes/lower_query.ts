/**
 * Lowering put together: the steps that call each other.
 *
 * @module
 */

import type { SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { lowerColumns } from "./columns.ts";
import { lowerExpression, lowerXo } from "./lower_expression.ts";
import { lowerSelect, lowerSet } from "./lower_select.ts";
import { resolvePath } from "./path_to_join.ts";
import type { LoweredSelect, Lowering } from "./scope.ts";
import { tableOf } from "./source.ts";

/** How a query is lowered. */
export interface LoweringOptions {
  /** Read localized elements in the locale of the context. */
  readonly localized?: boolean;
  /** Give rows as JSON objects in the format of OData payloads. */
  readonly payload?: boolean;
  /** The result leaves the database: integers that numbers do not hold become text. */
  readonly outermost?: boolean;
}

/**
 * The steps of lowering for one statement.
 *
 * @param model the linked model
 * @param options how the query is lowered
 */
export function createLowering(model: LinkedModel, options: LoweringOptions = {}): Lowering {
  const aliases = new Map<string, number>();
  const lowering: Lowering = {
    model,
    localized: options.localized === true,
    payload: options.payload === true,
    alias: (hint) => {
      // Aliases are compared without case.
      const key = hint.toLowerCase();
      const count = (aliases.get(key) ?? 0) + 1;
      aliases.set(key, count);
      return count === 1 ? hint : `${hint}$${count}`;
    },
    select: (query, selectOptions) =>
      "SELECT" in query
        ? lowerSelect(lowering, query.SELECT, selectOptions)
        : lowerSet(lowering, query.SET, selectOptions),
    expression: (expression, scope) => lowerExpression(lowering, expression, scope),
    xo: (tokens, scope) => lowerXo(lowering, tokens, scope),
    columns: (list, scope) => lowerColumns(lowering, list, scope),
    table: (entity, alias, args) => tableOf(lowering, entity, { alias, args }),
    path: (anchor, steps) => resolvePath(lowering, anchor, steps),
  };
  return lowering;
}

/**
 * Lowers a query to one over tables.
 *
 * @param model the linked model
 * @param query SELECT or set query
 * @param options how it is lowered
 */
export function lowerQuery(
  model: LinkedModel,
  query: SelectQuery | SetQuery,
  options: LoweringOptions = {},
): LoweredSelect {
  return createLowering(model, options).select(query, {
    json: options.payload,
    outermost: options.outermost,
  });
}
