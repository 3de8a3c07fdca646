/**
 * `hassubset` and `hassubsequence` of collections of values (OData 4.01 Part 2, sections 5.1.1.4.1 and 5.1.1.4.2).
 *
 * @module
 */

import type { Expression, Xo } from "../../../cqn/cqn.ts";
import type { CommonExpr, MethodCallExpr } from "../../url/ast.ts";
import { convertLiteral } from "./literal_values.ts";
import { badRequest } from "../plan_error.ts";
import { alias, insideOf, itemValue } from "./plan_item.ts";
import type { ValueCollection } from "./member_walk.ts";
import type { PlanOperand } from "./plan_structural.ts";
import { resolveAlias } from "./resolve_alias.ts";
import { BOOLEAN, type Scope, type Typed } from "../scope.ts";

/**
 * Plans a call of one of both functions.
 *
 * @param call the call
 * @param scope what names refer to
 * @param plan plans operands
 * @returns true or false
 * @throws {ServiceError} 400 where the first argument is no collection of values, or the second one no literal one
 */
export function planSubset({ name, args }: MethodCallExpr, scope: Scope, plan: PlanOperand): Typed {
  const [first, second] = args.map((arg) => resolveAlias(arg, scope));
  const collection = first.kind === "memberExpr" ? plan.member(first, scope).values : undefined;
  if (collection === undefined) throw badRequest("A collection of values is expected", first.offset);
  if (second.kind !== "array" && second.kind !== "listExpr") {
    throw badRequest("A collection in brackets is expected", second.offset);
  }
  const context = { collection, scope, plan };
  const xpr = name === "hassubset" ? subset(second.items, context) : subsequence(second.items, context);
  return { expr: { xpr }, type: BOOLEAN, nullable: false };
}

interface Context {
  readonly collection: ValueCollection;
  readonly scope: Scope;
  readonly plan: PlanOperand;
}

/** Each value is in the collection as often as in the other one at least. */
function subset(items: readonly CommonExpr[], { collection, scope, plan }: Context): Xo[] {
  const counts = new Map<string, { readonly item: CommonExpr; count: number }>();
  for (const item of items) {
    const key = item.kind === "primitiveLiteral" ? item.text : JSON.stringify(item);
    const known = counts.get(key);
    if (known) known.count++;
    else counts.set(key, { item, count: 1 });
  }
  const terms = [...counts.values()].map(({ item, count }): Xo[] => {
    const { name, place } = insideOf(collection.items, scope);
    const value = itemValue(place);
    // How often a value occurs is part of the plan, so the value is, too: it is no parameter of plans alike.
    const literal = item.kind === "primitiveLiteral"
      ? { val: convertLiteral(item, value.type) as string | null }
      : plan.value(item, scope, value.type).expr;
    const equal: Xo[] = [value.expr, "==", literal];
    return [{ func: "$count", args: [collection.array, { xpr: equal }, alias(name)] }, ">=", { val: count }];
  });
  return terms.length === 0
    ? [{ val: 1 }, "=", { val: 1 }]
    : terms.flatMap((term, at): Xo[] => [...(at > 0 ? ["and"] : []), ...term]);
}

/** The first member with the first value, the first one behind it with the next, and so on: there is the last. */
function subsequence(items: readonly CommonExpr[], { collection, scope, plan }: Context): Xo[] {
  const start: Expression = { val: -1, literal: "number" };
  const last = items.reduce<Expression>((before, item) => {
    const { name, place } = insideOf(collection.items, scope);
    const value = itemValue(place);
    const xpr: Xo[] = [value.expr, "==", plan.value(item, scope, value.type).expr];
    return { func: "$next", args: [collection.array, { xpr }, alias(name), before] };
  }, start);
  return last === start ? [{ val: 1 }, "=", { val: 1 }] : [last, "is", "not", "null"];
}
