/**
 * Infix filters: `books[stock > 0 order by title limit 3] { title }`.
 *
 * @module
 */

/** Clauses that a nested result and the infix filter behind its path both may have. */
interface Clauses<Condition> {
  readonly where?: Condition;
  readonly orderBy?: readonly unknown[];
  readonly limit?: unknown;
}

/**
 * A nested result whose condition, order and page are clauses of the column, those of the infix filter behind its path
 * included.
 *
 * @param column the nested result, of CQN or of a tree
 * @param both gives the condition that holds where all of the given ones do
 * @returns the column itself if there is no such filter
 */
export function withInfixFilter<
  Condition,
  Nested extends Clauses<Condition> & { readonly ref?: readonly (string | Clauses<Condition>)[] },
>(
  column: Nested,
  both: (...conditions: readonly (Condition | undefined)[]) => Condition | undefined,
): Nested {
  const { ref = [] } = column;
  const last = ref.at(-1);
  if (typeof last !== "object" || !(last.where || last.orderBy || last.limit)) return column;
  const { where, orderBy, limit, ...step } = last;
  return {
    ...column,
    ref: [...ref.slice(0, -1), step],
    where: both(where, column.where),
    orderBy: [...column.orderBy ?? [], ...orderBy ?? []],
    limit: column.limit ?? limit,
  };
}

/** Whether a step leads to a page of the rows that meet its condition. */
export function isPaged(step: string | { readonly limit?: object }): boolean {
  return typeof step === "object" && step.limit !== undefined;
}
