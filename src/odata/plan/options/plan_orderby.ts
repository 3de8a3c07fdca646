/**
 * `$orderby` → order terms (OData 4.01 Part 2, section 5.1.7).
 *
 * @module
 */

import type { Bindings } from "../shapes/bindings.ts";
import { parameter, reference } from "../../../algebra/build.ts";
import type { TreeLimit, TreeOrder } from "../../../algebra/tree.ts";
import { stepName } from "../../../cqn/steps.ts";
import { rowCount, rowCountLiteral } from "./query_size.ts";
import type { OrderbyItem, QueryOptions } from "../../url/ast.ts";
import { planValue } from "../expressions/plan_expression.ts";
import { isLiteral, type Scope, type Typed, typeOf } from "../scope.ts";
import { storedKeys } from "../../../model/keys.ts";

/** The terms of an order, and the values that they stand for. */
export interface PlannedOrder {
  /** Null comes first when ascending, last when descending. */
  readonly terms: readonly TreeOrder[];
  readonly values: readonly Typed[];
}

/**
 * Plans `$orderby`.
 *
 * @param items the items, if any
 * @param scope what names refer to
 * @param keys whether the keys decide what the items leave open
 * @returns order terms; null comes first when ascending, last when descending
 */
export function planOrderby(
  items: readonly OrderbyItem[] | undefined,
  scope: Scope,
  keys: boolean,
): TreeOrder[] {
  return [...planOrder(items, scope, keys).terms];
}

/**
 * Plans `$orderby`, and keeps what is known of its values.
 *
 * @param items the items, if any
 * @param scope what names refer to
 * @param keys whether the keys decide what the items leave open
 */
export function planOrder(
  items: readonly OrderbyItem[] | undefined,
  scope: Scope,
  keys: boolean,
): PlannedOrder {
  const terms: TreeOrder[] = [];
  const values: Typed[] = [];
  const sorted = new Set<string>();
  for (const { expr, desc } of items ?? []) {
    const value = planValue(expr, scope);
    if (isLiteral(value)) continue; // a constant orders nothing
    if (value.expr.kind === "reference") sorted.add(value.expr.ref.map(stepName).join("/"));
    const nulls = value.nullable ? { nulls: desc ? "last" as const : "first" as const } : {};
    terms.push({ ...value.expr, sort: desc ? "desc" : "asc", ...nulls });
    values.push(value);
  }
  if (!keys) return { terms, values };
  for (const flat of storedKeys(scope.entity)) {
    if (sorted.has(flat.name)) continue;
    const expr = reference([flat.name]);
    terms.push({ ...expr, sort: "asc" });
    values.push({ expr, nullable: false, ...typeOfKey(flat) });
  }
  return { terms, values };
}

function typeOfKey(flat: Parameters<typeof typeOf>[0]): Pick<Typed, "type"> {
  const type = typeOf(flat);
  return type ? { type } : {};
}

/** The rows of a collection inside of a row: `$top` and `$skip` of its options as parameters. */
export function nestedLimit(options: QueryOptions, bindings: Bindings): TreeLimit {
  const number = (name: "top" | "skip") => {
    const literal = rowCountLiteral(options, name);
    return literal && parameter(bindings.bindWith(literal, rowCount).name);
  };
  const rows = number("top");
  const offset = number("skip");
  return { ...(rows && { rows }), ...(offset && { offset }) };
}
