/**
 * Flat arrays of operands and operators as single expressions.
 *
 * @module
 */

import type { Expression, Xo } from "./cqn.ts";

/**
 * Makes one expression of a flat array.
 *
 * @param xos operands and operators
 * @returns the only operand, or an `xpr` of all
 */
export function toExpression(xos: readonly Xo[]): Expression {
  const first = xos[0]; // no destructuring: while the grammar is recorded, `xos` is no array
  return xos.length === 1 && typeof first === "object" ? first : { xpr: xos };
}
