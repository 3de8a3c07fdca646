/**
 * The rows that a query reads, as far as they are known before functions are called for them.
 *
 * @module
 */

import { allOf, conjuncts } from "../../../algebra/build.ts";
import { fromExpression, fromXo } from "../../../algebra/from_cqn.ts";
import { toXo } from "../../../algebra/to_cqn.ts";
import type { Expr } from "../../../algebra/tree.ts";
import { walkTree } from "../../../algebra/walk_tree.ts";
import type { SelectBody, SelectQuery, Xo } from "../../../cqn/cqn.ts";

/** The part of a query that says which rows it reads. */
export type ReachedRows = Pick<SelectBody, "from" | "where" | "search" | "orderBy" | "limit" | "history">;

/**
 * What the rows of a query are as far as they do not depend on calls for them: parts of its condition, and its page if it
 * does not depend on any.
 *
 * @param query the query
 * @param params parameters with the results of the calls
 */
export function reachedRows(
  { SELECT: { from, where, search, orderBy, limit, history } }: SelectQuery,
  params: ReadonlySet<string>,
): ReachedRows {
  const narrow = where && withoutParams(where, params);
  const isWhole = narrow === where && !orderBy?.some((term) => holdsParam(fromExpression(term), params));
  return {
    from,
    ...(history && { history }),
    ...(narrow && narrow.length > 0 && { where: narrow }),
    ...(search && { search }),
    ...(isWhole && limit && { limit, ...(orderBy && { orderBy }) }),
  };
}

/** The parts of a conjunction without parameters. */
function withoutParams(where: readonly Xo[], params: ReadonlySet<string>): readonly Xo[] {
  const parts = conjuncts(fromXo(where));
  const kept = parts.filter((part) => !holdsParam(part, params));
  const narrow = kept.length === parts.length ? undefined : allOf(kept);
  return kept.length === parts.length ? where : narrow ? toXo(narrow) : [];
}

function holdsParam(expression: Expr, params: ReadonlySet<string>): boolean {
  let found = false;
  walkTree(expression, (one) => {
    if (one.kind === "parameter" && params.has(one.name)) found = true;
    return !found;
  });
  return found;
}
