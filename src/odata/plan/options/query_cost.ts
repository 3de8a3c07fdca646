/**
 * What a query may cost, before it runs: the values that it may read.
 *
 * @module
 */

import type { Column, Limit, QueryParams, SelectBody } from "../../../cqn/cqn.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import type { Plan } from "../plan.ts";
import { badRequest } from "../plan_error.ts";

/** Rows that a collection inside of a row is taken to have, where nothing bounds them. */
const ASSUMED_ROWS = 100;

/**
 * Refuses a query that may read more values than a budget: rows of its page, times columns, and the same for what it
 * expands inside of each row.
 *
 * @param plan what a URL means
 * @param budget values
 * @throws {ServiceError} 400 where it may read more
 */
export function assertCost({ query, target, paging, queryParams, collection }: Plan, budget: number): void {
  if (query === undefined) return;
  const { SELECT } = query;
  const rows = paging?.rows ?? (collection ? rowsOf(SELECT.limit, queryParams) : 1);
  const cost = rows * costOfRow(columnsOf(SELECT), target, queryParams);
  if (cost <= budget) return;
  throw badRequest(
    `The query may read ${
      Math.ceil(cost)
    } values, but no more than ${budget} are allowed ("fw.limits.queryCost"): ` +
      "ask for fewer rows with $top, fewer columns with $select, or fewer levels of $expand",
  );
}

function columnsOf({ columns }: SelectBody): readonly Column[] {
  return columns ?? ["*"];
}

function costOfRow(
  columns: readonly Column[],
  entity: LinkedEntity | undefined,
  params: QueryParams,
): number {
  let cost = 0;
  for (const column of columns) {
    if (column === "*") cost += entity?.$flat.size ?? 1;
    else if (typeof column === "object" && "expand" in column && column.expand) {
      const name = column.ref?.length === 1 && typeof column.ref[0] === "string" ? column.ref[0] : undefined;
      const element = name === undefined ? undefined : entity?.elements[name];
      const isMany = element?.is2many ?? true;
      const rows = isMany ? rowsOf(column.limit, params) : 1;
      cost += rows * costOfRow(column.expand, element?.$target, params);
    } else cost++;
  }
  return Math.max(1, cost);
}

/** Rows that a limit leaves at most. */
function rowsOf(limit: Limit | undefined, params: QueryParams): number {
  const rows = limit?.rows;
  if (rows === undefined) return ASSUMED_ROWS;
  const value = "val" in rows ? rows.val : "ref" in rows ? params[String(rows.ref[0])] : undefined;
  return typeof value === "number" ? value : ASSUMED_ROWS;
}
