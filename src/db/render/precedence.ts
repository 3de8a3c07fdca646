/**
 * How strongly operators bind in SQL, as far as all databases agree: what they disagree about stands in parentheses.
 *
 * @module
 */

import type { Expr } from "../../algebra/tree.ts";

const OPERATORS = { or: 1, and: 2, not: 3, "||": 5, "+": 6, "-": 6, "*": 7, "/": 7 } as const;
const COMPARISON = 4;
const SIGN = 8;
/** What stands in no parentheses anywhere. */
export const PRIMARY = 9;

/** How strongly an expression binds. */
export function precedenceOf(expression: Expr): number {
  switch (expression.kind) {
    case "joined":
    case "arithmetic":
      return OPERATORS[expression.op];
    case "comparison":
    case "in":
    case "like":
    case "between":
      return COMPARISON;
    case "unary":
      return expression.op === "not" ? OPERATORS.not : SIGN;
  }
  return PRIMARY;
}
