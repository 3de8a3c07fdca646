/**
 * `$orderby` → order terms (OData 4.01 Part 2, section 5.1.7).
 *
 * @module
 */

import type { OrderTerm } from "../../cqn/cqn.ts";
import type { OrderbyItem } from "../url/ast.ts";
import { planValue } from "./plan_expression.ts";
import { urlKeys } from "./plan_keys.ts";
import type { Scope } from "./scope.ts";

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
): OrderTerm[] {
  const terms: OrderTerm[] = [];
  const sorted = new Set<string>();
  for (const { expr, desc } of items ?? []) {
    const value = planValue(expr, scope);
    if ("val" in value.expr) continue; // a constant orders nothing
    if ("ref" in value.expr) sorted.add(value.expr.ref.join("/"));
    const nulls = value.nullable ? { nulls: desc ? "last" as const : "first" as const } : {};
    terms.push({ ...value.expr, sort: desc ? "desc" : "asc", ...nulls });
  }
  if (!keys) return terms;
  for (const { name } of urlKeys(scope.entity)) {
    if (!sorted.has(name)) terms.push({ ref: [name], sort: "asc" });
  }
  return terms;
}
