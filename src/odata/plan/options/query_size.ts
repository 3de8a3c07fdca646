/**
 * The size of queries. Parts of a planned query are shared: names of `$compute` and sequences of `concat` stand for the
 * same object each time, so that a short URL can mean a query that nobody can write down.
 *
 * @module
 */

import { badRequest } from "../plan_error.ts";
import type { Column, Limit, QueryParams, SelectBody } from "../../../cqn/cqn.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import type { Plan } from "../plan.ts";

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

const sizes = new WeakMap<object, number>();

/**
 * The number of objects and arrays of a tree, as if shared ones were copies.
 *
 * @param node a query, an expression or a part of them
 * @returns the number; infinity when it is too large for a number
 */
function querySize(node: unknown): number {
  if (typeof node !== "object" || node === null || node instanceof Uint8Array) return 0;
  const known = sizes.get(node);
  if (known !== undefined) return known;
  let size = 1;
  for (const member of Object.values(node)) size += querySize(member);
  sizes.set(node, size);
  return size;
}

/**
 * Makes sure that a query can be written down.
 *
 * @param nodes its parts
 * @param most the limit
 * @param offset of what makes it large
 * @throws {ServiceError} 400 if it is larger
 */
export function assertSize(nodes: readonly unknown[], most: number, offset?: number): void {
  const size = nodes.reduce((sum: number, node) => sum + querySize(node), 0);
  if (size > most) throw badRequest(`The query is too large (more than ${most} nodes)`, offset);
}

/** `fw.query.limit`: rows of a page without and with `$top`. */
export interface QueryLimit {
  readonly default?: number;
  readonly max?: number;
}

/**
 * The rows of a page of an entity.
 *
 * @param entity the entity; undefined for rows of none
 * @param queryLimit what the configuration says
 * @param pageSize the limit of all pages
 */
export function pageSizes(
  entity: LinkedEntity | undefined,
  queryLimit: QueryLimit,
  pageSize: number,
): { readonly maxRows: number; readonly defaultRows: number } {
  const maxRows = entityLimit(entity, "max") ?? queryLimit.max ?? pageSize;
  return {
    maxRows,
    defaultRows: Math.min(entityLimit(entity, "default") ?? queryLimit.default ?? maxRows, maxRows),
  };
}

function entityLimit(entity: LinkedEntity | undefined, name: "default" | "max"): number | undefined {
  for (const owner of [entity, entity?.$service]) {
    const annotated = owner?.[`@cds.query.limit.${name}`] ?? owner?.["@cds.query.limit"];
    if (typeof annotated === "number") return annotated === 0 ? Number.MAX_SAFE_INTEGER : annotated;
  }
  return undefined;
}
