/**
 * Positions of rows that an operation returned: what a query finds of them is beside what the handler knows.
 *
 * @module
 */

import type { Column, SelectBody, SelectQuery } from "../../../cqn/cqn.ts";

/** The column with the position of such a row. */
export const POSITION = "$position";

/**
 * A query whose rows have their position, which decides what the order leaves open.
 *
 * @param select the clauses
 * @param own the columns beside the position
 */
export function withPosition(select: SelectBody, own: readonly Column[]): SelectQuery {
  const position = { ref: [POSITION] };
  return {
    SELECT: {
      ...select,
      columns: [{ ...position, as: POSITION }, ...own],
      orderBy: [...select.orderBy ?? [], position],
    },
  };
}
