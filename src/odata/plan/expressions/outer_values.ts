/**
 * Names of `$compute` inside of lambda expressions: their values belong to the row outside.
 *
 * @module
 */

import { fromExpression } from "../../../algebra/from_cqn.ts";
import { toCqnExpression } from "../../../algebra/to_cqn.ts";
import type { TreeStep } from "../../../algebra/tree.ts";
import { mapPaths, walkTree } from "../../../algebra/walk_tree.ts";
import type { Expression } from "../../../cqn/cqn.ts";
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
  const tree = fromExpression(expr);
  walkTree(tree, ({ kind }) => {
    if (kind === "select" || kind === "set") {
      throw notImplemented("A computed query in a lambda expression", offset);
    }
  });
  return toCqnExpression(mapPaths(tree, (ref) => nameOf(ref[0]!).startsWith("$") ? ref : [owner, ...ref]));
}

function nameOf(step: TreeStep): string {
  return typeof step === "string" ? step : step.id;
}
