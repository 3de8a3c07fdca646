/**
 * Visiting queries and expressions. Who rewrites them does that with trees (`algebra/walk_tree.ts`).
 *
 * @module
 */

import type { Column, Expression, NestedColumn, Query, RefStep, SelectBody, Source, Xo } from "./cqn.ts";

/** Called for every expression, outer ones first; `false` keeps the walk from going deeper. */
export type ExpressionVisitor = (expression: Expression | NestedColumn) => void | boolean;

/**
 * Visits the expressions of a flat expression array, subqueries and infix filters included.
 *
 * @param tokens operands and operators
 * @param visit called for every operand
 */
export function walkXo(tokens: readonly Xo[] | undefined, visit: ExpressionVisitor): void {
  for (const token of tokens ?? []) {
    if (typeof token !== "string") walkExpression(token, visit);
  }
}

/**
 * Visits an expression and all within it.
 *
 * @param expression the outermost expression, or a column with a nested result
 * @param visit called for the expression first
 */
export function walkExpression(expression: Expression | NestedColumn, visit: ExpressionVisitor): void {
  if (visit(expression) === false) return;
  if ("SELECT" in expression) return walkSelect(expression.SELECT, visit);
  if ("SET" in expression) return walkQuery(expression, visit);
  if ("xpr" in expression) walkXo(expression.xpr, visit);
  if ("list" in expression) walkXo(expression.list, visit);
  if ("func" in expression && expression.args) {
    const args = Array.isArray(expression.args) ? expression.args : Object.values(expression.args);
    for (const arg of args) if (arg !== "*") walkExpression(arg, visit);
  }
  if ("ref" in expression && expression.ref) walkSteps(expression.ref, visit);
  if ("expand" in expression || "inline" in expression) walkNested(expression as NestedColumn, visit);
}

/**
 * Visits all expressions of a query: source, columns, conditions, order, and expressions of `with`.
 *
 * @param query any query
 * @param visit called for every expression
 */
export function walkQuery(query: Query, visit: ExpressionVisitor): void {
  if ("SELECT" in query) return walkSelect(query.SELECT, visit);
  if ("SET" in query) {
    for (const arg of query.SET.args) walkQuery(arg, visit);
    walkXo(query.SET.orderBy, visit);
    return;
  }
  if ("UPDATE" in query) {
    const { entity, where, with: expressions } = query.UPDATE;
    if (typeof entity !== "string") walkExpression(entity, visit);
    walkXo(where, visit);
    walkXo(Object.values(expressions ?? {}), visit);
    return;
  }
  if ("DELETE" in query) {
    if (typeof query.DELETE.from !== "string") walkExpression(query.DELETE.from, visit);
    return walkXo(query.DELETE.where, visit);
  }
  const body = "INSERT" in query ? query.INSERT : query.UPSERT;
  if (typeof body.into !== "string") walkExpression(body.into, visit);
  if (body.from) walkSelect(body.from.SELECT, visit);
}

function walkSelect(body: SelectBody, visit: ExpressionVisitor): void {
  walkSource(body.from, visit);
  walkColumns(body.columns, visit);
  walkXo(body.where, visit);
  walkXo(body.groupBy, visit);
  walkXo(body.having, visit);
  walkXo(body.search, visit);
  walkXo(body.orderBy, visit);
  walkXo([body.limit?.rows, body.limit?.offset].filter((part) => part !== undefined), visit);
}

function walkSource(source: Source, visit: ExpressionVisitor): void {
  if (!("join" in source)) return walkExpression(source, visit);
  for (const arg of source.args) walkSource(arg, visit);
  walkXo(source.on, visit);
}

function walkColumns(columns: readonly Column[] | undefined, visit: ExpressionVisitor): void {
  for (const column of columns ?? []) if (column !== "*") walkExpression(column, visit);
}

function walkNested(column: NestedColumn, visit: ExpressionVisitor): void {
  walkColumns(column.expand, visit);
  walkColumns(column.inline, visit);
  walkXo(column.where, visit);
  walkXo(column.search, visit);
  walkXo(column.orderBy, visit);
  if (column.query) walkSelect(column.query.SELECT, visit);
}

function walkSteps(steps: readonly RefStep[], visit: ExpressionVisitor): void {
  for (const step of steps) {
    if (typeof step === "string") continue;
    walkXo(step.where, visit);
    walkXo(Object.values(step.args ?? {}), visit);
    if (step.rows) walkExpression(step.rows, visit);
    if (step.query) walkQuery(step.query, visit);
    walkXo(step.groupBy, visit);
    walkXo(step.having, visit);
    walkXo(step.orderBy, visit);
  }
}

/**
 * Replaces the paths in an expression, also inside nested expressions; subqueries stay as they are.
 *
 * @param xpr a flat expression
 * @param replace gives the new path
 */
export function mapRefs(xpr: readonly Xo[], replace: (ref: readonly unknown[]) => readonly unknown[]): Xo[] {
  return xpr.map((item) => mapRefsOf(item, replace) as Xo);
}

function mapRefsOf(item: unknown, replace: (ref: readonly unknown[]) => readonly unknown[]): unknown {
  if (typeof item !== "object" || item === null) return item;
  if ("SELECT" in item || "SET" in item) return item;
  if ("ref" in item) {
    const { ref, param } = item as { ref: readonly unknown[]; param?: boolean };
    return param ? item : withPlace({ ...item, ref: replace(ref) }, item);
  }
  const copy: Record<string, unknown> = { ...item };
  for (const part of ["xpr", "list", "args"]) {
    const value = copy[part];
    if (Array.isArray(value)) copy[part] = value.map((inner) => mapRefsOf(inner, replace));
    else if (typeof value === "object" && value !== null) {
      copy[part] = Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, mapRefsOf(inner, replace)]),
      );
    }
  }
  return copy;
}

/** Keeps the place in the source, which is not enumerable. */
function withPlace(copy: object, item: object): object {
  const place = Object.getOwnPropertyDescriptor(item, "$location");
  return place ? Object.defineProperty(copy, "$location", place) : copy;
}

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
