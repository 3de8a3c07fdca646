/**
 * Comparisons with times that have finer fractions of seconds than the values that they are compared with: each lies
 * between two values, of which the smaller one stands for it.
 *
 * @module
 */

import type { Xo } from "../../../cqn/cqn.ts";
import type { BinaryOperator } from "../../url/ast.ts";
import type { Typed } from "../scope.ts";

/** A condition that no row meets. */
export const NEVER: readonly Xo[] = [{ val: 1 }, "=", { val: 0 }];
const ALWAYS: readonly Xo[] = [{ val: 1 }, "=", { val: 1 }];

const BEHIND: ReadonlySet<BinaryOperator> = new Set(["gt", "ge"]);

/**
 * Compares a value with a literal between two values: it is the smaller one or less, or behind it.
 *
 * @param operator a comparison
 * @param sides the value and the literal, in any order
 * @returns a condition that is unknown, or false, for null
 */
export function finerComparison(operator: BinaryOperator, [left, right]: readonly [Typed, Typed]): Xo[] {
  if (operator === "eq") return [...NEVER];
  if (operator === "ne") return [...ALWAYS];
  const [value, literal] = left.finer ? [right, left] : [left, right];
  const isBehind = BEHIND.has(operator) === (literal === right);
  return [value.expr, isBehind ? ">" : "<=", literal.expr];
}
