/**
 * Infix filters: `books[stock > 0 order by title limit 3] { title }`.
 *
 * @module
 */

import type { NestedColumn, OrderTerm, RefStep, RefStepObject, Source, Xo } from "./cqn.ts";

/**
 * A nested result whose condition, order and page are clauses of the column, those of the infix filter behind its path
 * included.
 *
 * @param column the nested result
 * @returns the column itself if there is no such filter
 */
export function withInfixFilter(column: NestedColumn): NestedColumn {
  const { ref = [] } = column;
  const last = ref.at(-1);
  if (typeof last !== "object" || !(last.where || last.orderBy || last.limit)) return column;
  const { where, orderBy, limit, ...step } = last;
  return {
    ...column,
    ref: [...ref.slice(0, -1), step],
    where: bothOf(where, column.where),
    orderBy: [...column.orderBy ?? [], ...orderBy ?? []],
    limit: column.limit ?? limit,
  };
}

/** Whether a step leads to a page of the rows that meet its condition. */
export function isPaged(step: RefStep): step is RefStepObject {
  return typeof step === "object" && step.limit !== undefined;
}

/**
 * The order that the infix filter at the end of a path gives to its rows.
 *
 * @param source the source of a query
 */
export function orderOfSource(source: Source): readonly OrderTerm[] {
  const last = "ref" in source ? source.ref.at(-1) : undefined;
  return typeof last === "object" ? last.orderBy ?? [] : [];
}

function bothOf(one: readonly Xo[] = [], other: readonly Xo[] = []): readonly Xo[] {
  if (one.length === 0 || other.length === 0) return [...one, ...other];
  return [{ xpr: one }, "and", { xpr: other }];
}
