/**
 * Operators that compare.
 *
 * @module
 */

/** Operators between a value and what it is compared with. */
export const COMPARISONS: ReadonlySet<unknown> = new Set(["=", "==", "!=", "<>", "<", "<=", ">", ">=", "in"]);
