/**
 * Lowering put together: the steps that call each other.
 *
 * @module
 */

import { fromQuery } from "../../algebra/from_cqn.ts";
import type { TreeQuery, TreeValidity } from "../../algebra/tree.ts";
import type { SelectQuery, SetQuery } from "../../cqn/cqn.ts";
import { stepName } from "../../cqn/steps.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import { lowerColumns } from "./columns.ts";
import { lowerExpression } from "./lower_expression.ts";
import { lowerSelect, lowerSet } from "./lower_select.ts";
import { resolvePath } from "./path_to_join.ts";
import { type LoweredSelect, type Lowering, type PlainValue, Scope } from "./scope.ts";
import { tableOf } from "./source.ts";
import { sqlName } from "../sql_name.ts";
import type { Place } from "./conversions.ts";

/** How a query is lowered. */
export interface LoweringOptions {
  /** Read localized elements in the locale of the context. */
  readonly localized?: boolean;
  /** Read only what is valid at the time of the request. */
  readonly temporal?: boolean;
  /** When it has to be valid, where that is not the time of the request. */
  readonly validity?: TreeValidity;
  /** Read what views show as it is from the tables behind them: not for the queries of views themselves. */
  readonly throughViews?: boolean;
  /** Name columns that are paths by all of their steps: not for the queries of views themselves. */
  readonly wholePaths?: boolean;
  /** Give rows as JSON objects in the format of OData payloads. */
  readonly payload?: boolean;
  /** Give the values of those objects as columns of their own, where these functions can. */
  readonly values?: PlainValue;
  /** The result leaves the database: integers that numbers do not hold become text. */
  readonly outermost?: boolean;
  /** The result has large bytes only where its columns name them. */
  readonly lacksStreams?: boolean;
}

/**
 * The steps of lowering for one statement.
 *
 * @param model the linked model
 * @param options how the query is lowered
 */
export function createLowering(model: LinkedModel, options: LoweringOptions = {}): Lowering {
  const aliases = new Map<string, number>();
  const alias = (hint: string) => {
    // Aliases are compared without case.
    const key = hint.toLowerCase();
    const count = (aliases.get(key) ?? 0) + 1;
    aliases.set(key, count);
    return count === 1 ? hint : `${hint}$${count}`;
  };
  return stepsWith(alias, model, options);
}

function stepsWith(alias: Lowering["alias"], model: LinkedModel, options: LoweringOptions): Lowering {
  const lowering: Lowering = {
    model,
    localized: options.localized === true,
    temporal: options.temporal === true,
    throughViews: options.throughViews === true,
    wholePaths: options.wholePaths === true,
    payload: options.payload === true,
    get unlocalized() {
      return options.localized ? stepsWith(alias, model, { ...options, localized: false }) : lowering;
    },
    plain: (plainOptions) => createLowering(model, plainOptions),
    validity: options.validity,
    validAt: (validity) => stepsWith(alias, model, { ...options, validity }),
    alias,
    select: (given, selectOptions) => {
      const { query, ...named } = withoutLocalizedName(model, given);
      const isView = selectOptions.view && (lowering.temporal || lowering.wholePaths);
      const steps = isView || named.localized
        ? stepsWith(alias, model, {
          ...options,
          ...(isView && { temporal: false, wholePaths: false }),
          ...named,
        })
        : lowering;
      return query.kind === "select"
        ? lowerSelect(steps, query.SELECT, selectOptions)
        : lowerSet(steps, query.SET, selectOptions);
    },
    expression: (expression, scope) => lowerExpression(lowering, expression, scope),
    columns: (list, scope) => lowerColumns(lowering, list, scope),
    table: (entity, alias, step) => tableOf(lowering, entity, { alias, step }),
    path: (anchor, steps) => resolvePath(lowering, anchor, steps),
  };
  return lowering;
}

/** `localized.shop.Books` is `shop.Books` with the texts of the language. */
function withoutLocalizedName(
  model: LinkedModel,
  query: TreeQuery,
): { readonly query: TreeQuery; readonly localized?: true } {
  if (query.kind !== "select" || query.SELECT.from.kind !== "reference") return { query };
  const { from } = query.SELECT;
  const [first, ...steps] = from.ref;
  const [, name] = /^localized\.(.+)$/.exec(stepName(first!)) ?? [];
  if (name === undefined || model.entity(stepName(first!)) || !model.entity(name)) return { query };
  const step = typeof first === "object" ? { ...first, id: name } : name;
  const plain = { ...from, ref: [step, ...steps] };
  return { query: { ...query, SELECT: { ...query.SELECT, from: plain } }, localized: true };
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
  return createLowering(model, options).select(fromQuery(query), {
    json: options.payload && (options.values ?? true),
    outermost: options.outermost,
    lacksStreams: options.lacksStreams,
  });
}

/**
 * The place of expressions over a row, whose alias is the name of its table.
 *
 * @param model the linked model
 * @param entity what the row belongs to
 */
export function rowOf(model: LinkedModel, entity: LinkedEntity): Place {
  const alias = sqlName(entity);
  const scope = new Scope();
  scope.sources.push({ alias, name: alias, explicit: false, entity });
  return { lowering: createLowering(model), scope };
}
