/**
 * Operators that make an expression a condition.
 *
 * @module
 */

/** Comparisons and connectives; an `xpr` that holds one of them outside of `case` is true, false or unknown. */
export const CONDITION_OPERATORS: ReadonlySet<unknown> = new Set(
  ["and", "or", "not", "=", "==", "!=", "<>", "<", "<=", ">", ">=", "in", "like", "between", "is", "exists"],
);
