/**
 * How much a query reads: `$top` and `$skip` (OData 4.01 Part 2, section 5.1.7), its budget, bounds of `$expand`.
 *
 * @module
 */

import { badRequest } from "../plan_error.ts";
import type { Column, Limit, QueryParams, SelectBody } from "../../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import type { Plan } from "../plan.ts";
import type { Limits } from "../../../config/limits.ts";
import { leadsToOwn, sharedColumns } from "../../../model/links.ts";
import type { PrimitiveLiteral, QueryOptions } from "../../url/ast.ts";
import { syntaxError } from "../../url/syntax_error.ts";

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
export function assertCost(plan: Plan, budget: number): void {
  if (!("query" in plan)) return;
  const { query: { SELECT }, target, paging, queryParams, collection } = plan;
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

/** What `$expand` may do below rows. */
export interface ExpandBounds {
  readonly limits: Pick<Limits, "expandDepth" | "expandRepetitions">;
  /** Levels above. */
  readonly depth: number;
  /** How often rows of levels above are repeated in one another. */
  readonly repetitions: number;
  /** Whether there is more than one row. */
  readonly isMany: boolean;
  /** Whether a row may be there several times, once for each that refers to it. */
  readonly isShared: boolean;
  /** Columns in which all rows have the same value, as they belong to one row: links with each other side once. */
  readonly same?: readonly string[];
}

/**
 * The bounds of rows that are not expanded themselves.
 *
 * @param limits `expandDepth`, `expandRepetitions`
 * @param isMany whether there is more than one row
 */
export function expandBounds(limits: ExpandBounds["limits"], isMany: boolean): ExpandBounds {
  return { limits, depth: 0, repetitions: 0, isMany, isShared: false };
}

/**
 * The bounds of the rows that an association leads to; they may be exceeded.
 *
 * @param bounds those of the rows before
 * @param association the association
 */
export function boundsBelow(bounds: ExpandBounds, association: LinkedElement): ExpandBounds {
  const { limits, depth, repetitions, isMany, isShared, same } = bounds;
  const { is2many } = association;
  return {
    limits,
    depth: depth + 1,
    // a collection is repeated as often as the row it belongs to, once for each row that shares that one
    repetitions: is2many && isShared ? repetitions + 1 : repetitions,
    isMany: isMany || is2many,
    isShared: (isShared && !is2many) || (isMany && !leadsToOwn(association, same)),
    same: is2many && !isMany ? sharedColumns(association) : undefined,
  };
}

/** Whether `$expand` may go as far as that. */
export function isWithin({ limits, depth, repetitions }: ExpandBounds): boolean {
  return depth <= limits.expandDepth && repetitions <= limits.expandRepetitions;
}

/**
 * Makes sure that `$expand` goes no further than it may.
 *
 * @param bounds those of the expanded rows
 * @param place name and offset of the navigation property
 * @throws {ServiceError} 400 if it does
 */
export function assertWithin(
  bounds: ExpandBounds,
  { name, offset }: { readonly name: string; readonly offset: number },
): void {
  if (isWithin(bounds)) return;
  const { limits, depth } = bounds;
  if (depth > limits.expandDepth) throw badRequest("$expand is nested too deeply", offset);
  throw badRequest(
    `$expand repeats the rows of "${name}", as several rows share what they belong to: the limit is ` +
      `${limits.expandRepetitions} of such collections in one another; read "${name}" by a path`,
    offset,
  );
}

/**
 * The literal of an option.
 *
 * @param options the options
 * @param name the option
 * @returns undefined without the option
 */
export function rowCountLiteral(options: QueryOptions, name: "top" | "skip"): PrimitiveLiteral | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  const offset = options.valueOffsets?.[name] ?? -1;
  return { kind: "primitiveLiteral", offset, type: "Edm.Int64", value, text: String(value) };
}

/**
 * Reads a number of rows, as the parser does.
 *
 * @param literal digits
 * @returns the number
 * @throws {ServiceError} 400 if there are too many of them
 */
export function rowCount({ value, text, offset }: PrimitiveLiteral): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw syntaxError({ offset, found: text, expected: "a non-negative integer" });
}
