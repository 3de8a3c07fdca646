/**
 * Operators and functions that statements are written with.
 *
 * @module
 */

/** Operators of expressions; a query of a handler may hold no other text. */
export const OPERATORS: ReadonlySet<string> = new Set(
  "and or not = <> < <= > >= + - * / || in like between is null exists case when then else end escape distinct from"
    .split(" "),
);

/** Words of windows. */
export const WINDOW: ReadonlySet<string> = new Set([
  "over",
  "partition",
  "partition by",
  "order",
  "order by",
  "by",
  "asc",
  "desc",
  "nulls",
  "first",
  "last",
  ",",
  ...["rows", "range", "between", "unbounded", "preceding", "following", "current", "row", "and", "distinct"],
]);

/** Functions without a renderer that take numbers of any type. */
export const OF_ANY_NUMBER: ReadonlySet<string> = new Set([
  "abs",
  "coalesce",
  "first_value",
  "greatest",
  "last_value",
  "least",
  "nullif",
]);

/** Functions that take values of any type. */
export const COUNTS: ReadonlySet<string> = new Set(["count", "countdistinct"]);

/** Canonical functions of OData that need types SQLite does not have. */
export const UNSUPPORTED: ReadonlySet<string> = new Set([
  "totalseconds",
  "isof",
]);
