/**
 * Operands in flat expression arrays.
 *
 * @module
 */

import type { FunctionExpression, Xo } from "../../cqn/cqn.ts";

/** Operators that bind closer than comparisons. */
const CLOSER: ReadonlySet<unknown> = new Set(["+", "-", "*", "/", "||"]);

/**
 * Where an operand of a comparison ends: `'%' || name || '%'` is one.
 *
 * @param tokens operands and operators
 * @param start its first token
 * @returns the index behind it
 */
export function endOfOperand(tokens: readonly Xo[], start: number): number {
  let end = start + 1;
  while (CLOSER.has(tokens[end])) end += 2;
  return end;
}

/**
 * Whether an operand is the values of a bound array.
 *
 * @param operand the operand
 */
export function isValues(operand: Xo | undefined): operand is FunctionExpression {
  return typeof operand === "object" && "func" in operand && operand.func === "$values";
}
