/**
 * The query of instances of an entity with all options.
 *
 * @module
 */

import { allOf, parameter, select } from "../../../algebra/build.ts";
import type { Expr, TreeBody, TreeOrder, TreeSelect } from "../../../algebra/tree.ts";
import type { QueryOptions } from "../../url/ast.ts";
import type { AppliedParts, KeysetTerm } from "../plan.ts";
import type { ResultShape } from "../result_shape.ts";
import type { ExpandBounds } from "./query_size.ts";
import { planColumns } from "./plan_columns.ts";
import { planCondition } from "../expressions/plan_expression.ts";
import { type KeysetPage, keysetTerms, PAGE_TOKEN, planPageToken } from "./keyset.ts";
import { planOrder } from "./plan_orderby.ts";
import { planSearch } from "./row_conditions.ts";
import type { Resource } from "../paths/resource.ts";
import type { Scope } from "../scope.ts";
import { NUMBER_TYPES } from "../../../model/builtin_types.ts";
import { LIMIT_PARAMS } from "../shapes/template.ts";

/** Bounds that take the place of `$top` and `$skip`. */
export type Bounds = Pick<QueryOptions, "top" | "skip">;

/** A planned query. */
export interface PlannedQuery {
  readonly query: TreeSelect;
  readonly shape?: ResultShape;
  readonly applied?: AppliedParts<TreeSelect>;
  /** Bounds that `$apply` puts on the rows in place of `$top` and `$skip`. */
  readonly cut?: Bounds;
  /** The rows come in pages. */
  readonly paged: boolean;
  /** The terms of the order, where pages go on behind the last row of the one before. */
  readonly keyset?: readonly KeysetTerm[];
  /** Which terms of the order are numbers. */
  readonly numeric?: readonly boolean[];
  /** The page asked for lies behind a row. */
  readonly page?: KeysetPage;
}

/** The clauses of a collection. */
export interface PlannedClauses extends Pick<PlannedQuery, "keyset" | "numeric" | "page"> {
  readonly clauses: Partial<TreeBody>;
}

/** What a query is planned from. */
export interface QueryContext {
  readonly options: QueryOptions;
  readonly scope: Scope;
  /** How far `$expand` goes. */
  readonly bounds: ExpandBounds;
  /** GET and HEAD; other methods read back what they wrote. */
  readonly reads: boolean;
}

/**
 * Plans the query of instances.
 *
 * @param resource what is addressed
 * @param base where it is read
 * @param context options and names
 * @returns query, shape and whether it is paged
 */
export function entityQuery(resource: Resource, base: TreeBody, context: QueryContext): PlannedQuery {
  const { options, scope, bounds, reads } = context;
  const { columns, shape, computed } = planColumns(options, { scope, bounds });
  if (!resource.collection) {
    return { query: select({ ...base, columns, one: true }), shape, paged: false };
  }
  const { clauses, ...pages } = collectionClauses(options, { ...scope, computed }, reads);
  return { query: select({ ...base, columns, ...clauses }), shape, paged: reads, ...pages };
}

/**
 * Plans the clauses of a collection.
 *
 * @param options the options
 * @param scope what names refer to
 * @param reads whether the method reads
 * @returns conditions, order and page
 * @throws {ServiceError} 400 also for a `$skiptoken` that was not made for the order
 */
export function collectionClauses(options: QueryOptions, scope: Scope, reads: boolean): PlannedClauses {
  if (!reads) return { clauses: {} };
  const where = options.filter && planCondition(options.filter, scope);
  const search = options.search && planSearch(options.search);
  const order = planOrder(options.orderby, scope, true);
  const keyset = keysetTerms(order.values, order.terms.map(({ sort }) => sort === "desc"));
  const numeric = order.values.map(({ type }) => type !== undefined && NUMBER_TYPES.has(type.builtin));
  if (keyset === undefined || !PAGE_TOKEN.test(options.skiptoken ?? "")) {
    return { clauses: clausesOf(options, { where, search, orderBy: order.terms }), keyset, numeric };
  }
  const terms = keyset.map((term, index) => ({ term, expr: order.values[index]!.expr }));
  const page = planPageToken(terms, options, scope.bindings);
  const { skip: _skip, skiptoken: _skiptoken, count: _count, ...others } = options;
  const behind = allOf([where, page.where]);
  return { clauses: clausesOf(others, { where: behind, search, orderBy: order.terms }), keyset, page };
}

/** Conditions and order. */
export interface Clauses {
  readonly where: Expr | undefined;
  readonly search: Expr | undefined;
  readonly orderBy: readonly TreeOrder[];
}

/**
 * The clauses of a page.
 *
 * @param options the options
 * @param clauses conditions and order
 * @returns the clauses that there are
 */
export function clausesOf(options: QueryOptions, { where, search, orderBy }: Clauses): Partial<TreeBody> {
  const offset = options.skip !== undefined || options.skiptoken !== undefined;
  return {
    ...(where && { where }),
    ...(search && { search }),
    ...(orderBy.length > 0 && { orderBy }),
    limit: {
      rows: parameter(LIMIT_PARAMS.rows),
      ...(offset && { offset: parameter(LIMIT_PARAMS.offset) }),
    },
    ...(options.count === true && { count: true }),
  };
}
