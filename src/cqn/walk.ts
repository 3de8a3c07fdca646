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
