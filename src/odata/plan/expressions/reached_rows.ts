/**
 * The rows that a query reads, as far as they are known before functions are called for them.
 *
 * @module
 */

import type { RefExpression, SelectBody, SelectQuery, Xo } from "../../../cqn/cqn.ts";

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
  const isWhole = narrow === where && !holdsParam(orderBy, params);
  return {
    from,
    ...(history && { history }),
    ...(narrow && narrow.length > 0 && { where: narrow }),
    ...(search && { search }),
    ...(isWhole && limit && { limit, ...(orderBy && { orderBy }) }),
  };
}

/** The parts of a conjunction without parameters; nothing of other conditions that have one. */
function withoutParams(where: readonly Xo[], params: ReadonlySet<string>): readonly Xo[] {
  if (!holdsParam(where, params)) return where;
  const inner = where.length === 1 && innerOf(where[0]!);
  if (inner) return withoutParams(inner, params);
  if (where.some((token) => token === "or" || token === "between")) return [];
  return conjuncts(where).flatMap((part): readonly Xo[][] => {
    const [only] = part;
    const kept = !holdsParam(part, params) || (part.length === 1 && innerOf(only!))
      ? withoutParams(part, params)
      : [];
    return kept.length > 0 ? [[{ xpr: kept }]] : [];
  }).flatMap((part, at): Xo[] => [...(at > 0 ? ["and"] : []), ...part]);
}

/** The condition in parentheses. */
function innerOf(token: Xo): readonly Xo[] | undefined {
  return typeof token === "object" && "xpr" in token ? token.xpr : undefined;
}

function conjuncts(where: readonly Xo[]): readonly Xo[][] {
  const parts: Xo[][] = [[]];
  for (const token of where) {
    if (token === "and") parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts;
}

function holdsParam(node: unknown, params: ReadonlySet<string>): boolean {
  if (typeof node !== "object" || node === null) return false;
  if ("param" in node && params.has(String((node as RefExpression).ref[0]))) return true;
  return Object.values(node).some((member) => holdsParam(member, params));
}
