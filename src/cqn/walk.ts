/**
 * Visiting and rewriting queries and expressions.
 *
 * @module
 */

import type {
  Column,
  Expression,
  JoinSource,
  NestedColumn,
  OrderTerm,
  Query,
  RefStep,
  SelectBody,
  Source,
  Xo,
} from "./cqn.ts";

/** Called for every expression, outer ones first; `false` keeps the walk from going deeper. */
export type ExpressionVisitor = (expression: Expression | NestedColumn) => void | boolean;

/** Gives the expression to put in the place of another one; the same object keeps it. */
export type ExpressionMapper = (expression: Expression) => Expression;

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
 * Rewrites the expressions of a flat expression array, inner ones first. Arrays without a change are returned as
 * they are.
 *
 * @param tokens operands and operators
 * @param map gives the replacement of an operand
 */
function mapXo(tokens: readonly Xo[], map: ExpressionMapper): readonly Xo[] {
  return mapArray(tokens, (token) => typeof token === "string" ? token : mapExpression(token, map));
}

/**
 * Rewrites an expression, inner ones first; aliases, sort orders and casts stay.
 *
 * @param expression the outermost expression
 * @param map gives the replacement of an expression
 */
function mapExpression<E extends Expression>(expression: E, map: ExpressionMapper): E {
  const node = expression as Expression;
  let inner: Expression = node;
  if ("SELECT" in node) inner = withPart(node, "SELECT", mapSelect(node.SELECT, map));
  else if ("SET" in node) inner = withPart(node, "SET", mapSet(node.SET, map));
  else if ("list" in node) {
    inner = withPart(node, "list", mapArray(node.list, (entry) => mapExpression(entry, map)));
  } else if ("func" in node) {
    let call = node;
    if (call.xpr) call = withPart(call, "xpr", mapXo(call.xpr, map));
    if (call.args) call = withPart(call, "args", mapArguments(call.args, map));
    inner = call;
  } else if ("xpr" in node) inner = withPart(node, "xpr", mapXo(node.xpr, map));
  else if ("ref" in node) inner = withPart(node, "ref", mapSteps(node.ref, map));
  // The mapper keeps what stands beside the expression (alias, sort order, cast), so the type stays.
  return map(inner) as E;
}

/**
 * Rewrites all expressions of a query, inner ones first. The query itself stays as it is; a copy is returned where
 * something changed.
 *
 * @param query any query
 * @param map gives the replacement of an expression
 */
export function mapQuery<Q extends Query>(query: Q, map: ExpressionMapper): Q {
  const node: Query = query;
  if ("SELECT" in node) return withPart(node, "SELECT", mapSelect(node.SELECT, map)) as Query as Q;
  if ("SET" in node) return withPart(node, "SET", mapSet(node.SET, map)) as Query as Q;
  if ("UPDATE" in node) {
    let body = mapClause(node.UPDATE, "where", map);
    if (typeof body.entity !== "string") body = withPart(body, "entity", mapExpression(body.entity, map));
    if (body.with) body = withPart(body, "with", mapRecord(body.with, map));
    return withPart(node, "UPDATE", body) as Query as Q;
  }
  if ("DELETE" in node) {
    let body = mapClause(node.DELETE, "where", map);
    if (typeof body.from !== "string") body = withPart(body, "from", mapExpression(body.from, map));
    return withPart(node, "DELETE", body) as Query as Q;
  }
  const kind = "INSERT" in node ? "INSERT" : "UPSERT";
  const original = "INSERT" in node ? node.INSERT : node.UPSERT;
  let body = original;
  if (typeof body.into !== "string") body = withPart(body, "into", mapExpression(body.into, map));
  if (body.from) body = withPart(body, "from", mapQuery(body.from, map));
  return (body === original ? node : { [kind]: body }) as Query as Q;
}

function mapSelect(select: SelectBody, map: ExpressionMapper): SelectBody {
  let body = withPart(select, "from", mapSource(select.from, map));
  if (body.columns) body = withPart(body, "columns", mapColumns(body.columns, map));
  for (const clause of ["where", "groupBy", "having", "search", "orderBy"] as const) {
    body = mapClause(body, clause, map);
  }
  if (!body.limit) return body;
  let limit = body.limit;
  if (limit.rows) limit = withPart(limit, "rows", mapExpression(limit.rows, map));
  if (limit.offset) limit = withPart(limit, "offset", mapExpression(limit.offset, map));
  return withPart(body, "limit", limit);
}

function mapSet(
  set: Extract<Query, { SET: unknown }>["SET"],
  map: ExpressionMapper,
): Extract<Query, { SET: unknown }>["SET"] {
  return mapClause(withPart(set, "args", mapArray(set.args, (arg) => mapQuery(arg, map))), "orderBy", map);
}

function mapSource(source: Source, map: ExpressionMapper): Source {
  if (!("join" in source)) return mapExpression(source, map);
  const joined: JoinSource = withPart(source, "args", mapArray(source.args, (arg) => mapSource(arg, map)));
  return mapClause(joined, "on", map);
}

function mapColumns(columns: readonly Column[], map: ExpressionMapper): readonly Column[] {
  return mapArray(columns, (column) => {
    if (column === "*") return column;
    if (!("expand" in column || "inline" in column)) return mapExpression(column as Expression, map);
    let nested = column as NestedColumn;
    if (nested.ref) nested = withPart(nested, "ref", mapSteps(nested.ref, map));
    if (nested.expand) nested = withPart(nested, "expand", mapColumns(nested.expand, map));
    if (nested.inline) nested = withPart(nested, "inline", mapColumns(nested.inline, map));
    if (nested.query) nested = withPart(nested, "query", mapQuery(nested.query, map));
    for (const clause of ["where", "search", "orderBy"] as const) nested = mapClause(nested, clause, map);
    return nested;
  });
}

function mapSteps(steps: readonly RefStep[], map: ExpressionMapper): readonly RefStep[] {
  return mapArray(steps, (step) => {
    if (typeof step === "string") return step;
    let mapped = step;
    if (mapped.args) mapped = withPart(mapped, "args", mapRecord(mapped.args, map));
    if (mapped.rows) mapped = withPart(mapped, "rows", mapExpression(mapped.rows, map));
    if (mapped.query) mapped = withPart(mapped, "query", mapQuery(mapped.query, map));
    for (const clause of ["where", "groupBy", "having", "orderBy"] as const) {
      mapped = mapClause(mapped, clause, map);
    }
    return mapped;
  });
}

function mapArguments(
  args: readonly (Expression | "*")[] | Readonly<Record<string, Expression>>,
  map: ExpressionMapper,
): typeof args {
  if (!Array.isArray(args)) return mapRecord(args as Readonly<Record<string, Expression>>, map);
  return mapArray(
    args as readonly (Expression | "*")[],
    (arg) => arg === "*" ? arg : mapExpression(arg, map),
  );
}

function mapRecord(
  record: Readonly<Record<string, Expression>>,
  map: ExpressionMapper,
): Readonly<Record<string, Expression>> {
  const entries = Object.entries(record);
  const mapped = entries.map(([name, value]) => [name, mapExpression(value, map)] as const);
  return mapped.every(([, value], i) => value === entries[i][1]) ? record : Object.fromEntries(mapped);
}

/** Rewrites a clause that is a flat expression array, a list of expressions or of order terms. */
function mapClause<T extends object>(body: T, clause: keyof T, map: ExpressionMapper): T {
  const tokens = body[clause] as readonly (Xo | OrderTerm)[] | undefined;
  return tokens ? withPart(body, clause, mapXo(tokens, map) as T[keyof T]) : body;
}

function mapArray<T>(values: readonly T[], map: (value: T) => T): readonly T[] {
  const mapped = values.map(map);
  return mapped.every((value, i) => value === values[i]) ? values : mapped;
}

function withPart<T extends object, K extends keyof T>(node: T, key: K, part: T[K]): T {
  return node[key] === part ? node : { ...node, [key]: part };
}
