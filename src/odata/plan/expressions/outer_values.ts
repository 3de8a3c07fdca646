/**
 * Names of `$compute` inside of lambda expressions: their values belong to the row outside.
 *
 * @module
 */

import type { Expression, RefStep, Xo } from "../../../cqn/cqn.ts";
import { notImplemented } from "../plan_error.ts";
import { assertShallow } from "./row_depth.ts";
import type { Scope, Typed } from "../scope.ts";

/**
 * The computed values that conditions on related rows may name.
 *
 * @param scope the scope of the row outside
 * @returns values that start at a row with a name; undefined without any
 */
export function outerValues(scope: Scope): Scope["outer"] {
  const { computed, row, bindings, outer } = scope;
  if (computed.size === 0 || scope.closed) return outer;
  return (name, offset): Typed | undefined => {
    const value = computed.get(name);
    if (value === undefined) return outer?.(name, offset);
    assertShallow(value.expr, bindings, offset);
    const owner = row.name ??= bindings.rowName();
    return { ...value, expr: startingAt(value.expr, owner, offset) };
  };
}

/** An expression over a row as expression over the row of a name. */
function startingAt(expr: Expression, owner: string, offset: number): Expression {
  if ("SELECT" in expr || "SET" in expr) {
    throw notImplemented("A computed query in a lambda expression", offset);
  }
  const each = (one: Expression) => startingAt(one, owner, offset);
  const tokens = (xpr: readonly Xo[]) => xpr.map((token) => typeof token === "string" ? token : each(token));
  if ("ref" in expr) {
    return expr.param || nameOf(expr.ref[0]!).startsWith("$") ? expr : { ...expr, ref: [owner, ...expr.ref] };
  }
  if ("func" in expr) {
    const args = (expr.args ?? []) as readonly (Expression | "*")[]; // functions of URLs have arguments in order
    return { ...expr, args: args.map((arg) => arg === "*" ? arg : each(arg)) };
  }
  if ("xpr" in expr) return { ...expr, xpr: tokens(expr.xpr) };
  if ("list" in expr) return { ...expr, list: expr.list.map(each) };
  return expr;
}

function nameOf(step: RefStep): string {
  return typeof step === "string" ? step : step.id;
}
