/**
 * Visiting and rewriting trees.
 *
 * @module
 */

import type {
  Call,
  Expr,
  FrameEnd,
  TreeBody,
  TreeColumn,
  TreeLimit,
  TreeNested,
  TreeOrder,
  TreeQuery,
  TreeSource,
  TreeStep,
  Window,
} from "./tree.ts";

/** Gives the expression to put in the place of another one; the same object keeps it. */
export type MapExpr = (expression: Expr) => Expr;

/** Called for every expression, outer ones first; `false` keeps the walk from going deeper. */
export type VisitExpr = (expression: Expr | TreeNested) => void | boolean;

/** An expression with others in the place of those right inside of it; what stands beside it stays. */
export function mapChildren<E extends Expr>(expression: E, map: MapExpr): E {
  const node = expression as Expr;
  switch (node.kind) {
    case "literal":
    case "parameter":
    case "variable":
    case "symbol":
      return expression;
    case "reference":
      return withMembers(node, { ref: mapSteps(node.ref, map) }) as E;
    case "unary":
    case "cast":
    case "unlocalized":
      return withMembers(node, { arg: map(node.arg) }) as E;
    case "exists":
      return withMembers(node, { arg: map(node.arg) as typeof node.arg }) as E;
    case "arithmetic":
    case "comparison":
      return withMembers(node, { left: map(node.left), right: map(node.right) }) as E;
    case "in":
      return withMembers(node, { left: map(node.left), right: map(node.right) }) as E;
    case "joined":
      return withMembers(node, { args: mapArray(node.args, map) }) as E;
    case "like":
      return withMembers(node, {
        left: map(node.left),
        pattern: map(node.pattern),
        ...(node.escape && { escape: map(node.escape) }),
      }) as E;
    case "between":
      return withMembers(node, { left: map(node.left), low: map(node.low), high: map(node.high) }) as E;
    case "case":
      return withMembers(node, {
        ...(node.subject && { subject: map(node.subject) }),
        branches: mapArray(
          node.branches,
          (branch) => withMembers(branch, { when: map(branch.when), then: map(branch.then) }),
        ),
        ...(node.otherwise && { otherwise: map(node.otherwise) }),
      }) as E;
    case "call":
      return withMembers(node, callMembers(node, map)) as E;
    case "list":
      return withMembers(node, { list: mapArray(node.list, map) }) as E;
    case "select":
      return withMembers(node, { SELECT: mapBody(node.SELECT, map) }) as E;
    case "set": {
      const { args, orderBy, limit } = node.SET;
      const members = {
        args: mapArray(args, (arg) => map(arg) as TreeQuery),
        ...(orderBy && { orderBy: mapOrder(orderBy, map) }),
        ...(limit && { limit: mapLimit(limit, map) }),
      };
      return withMembers(node, { SET: withMembers(node.SET, members) }) as E;
    }
    default:
      return node satisfies never;
  }
}

/** A tree whose expressions are replaced, inner ones first. */
export function mapTree<E extends Expr>(expression: E, map: MapExpr): E {
  // the mapper keeps what stands beside an expression
  return map(mapChildren(expression, (child) => mapTree(child, map))) as E;
}

/** The expressions right inside of another one. */
export function childrenOf(expression: Expr): readonly Expr[] {
  const found: Expr[] = [];
  mapChildren(expression, (child) => {
    found.push(child);
    return child;
  });
  return found;
}

/** An expression with other paths; subqueries stay as they are. */
export function mapPaths<E extends Expr>(
  expression: E,
  replace: (ref: readonly TreeStep[]) => readonly TreeStep[],
): E {
  const node = expression as Expr;
  if (node.kind === "select" || node.kind === "set") return expression;
  if (node.kind === "reference") return withMembers(node, { ref: replace(node.ref) }) as Expr as E;
  return mapChildren(expression, (child) => mapPaths(child, replace));
}

/** Visits an expression and all within it. */
export function walkTree(expression: Expr, visit: VisitExpr): void {
  if (visit(expression) === false) return;
  mapChildren(expression, (child) => {
    walkTree(child, visit);
    return child;
  });
}

/** Whether something holds for an expression or one within it; subqueries are asked themselves only. */
export function someOf(expression: Expr, test: (expression: Expr) => boolean): boolean {
  if (test(expression)) return true;
  if (expression.kind === "select" || expression.kind === "set") return false;
  return childrenOf(expression).some((child) => someOf(child, test));
}

/** The path of a column that is one, or whose result is nested; empty for others. */
export function columnPath(column: Exclude<TreeColumn, "*">): readonly TreeStep[] {
  return column.kind === "reference" || column.kind === "nested" ? column.ref ?? [] : [];
}

function callMembers(node: Call, map: MapExpr): Partial<Call> {
  const { args, orderBy, over } = node;
  return {
    ...(args && { args: mapArray(args, (arg) => arg === "*" ? arg : map(arg)) }),
    ...(orderBy && { orderBy: mapOrder(orderBy, map) }),
    ...(over && { over: mapWindow(over, map) }),
  };
}

function mapWindow(window: Window, map: MapExpr): Window {
  const { partitionBy, orderBy, frame } = window;
  return withMembers(window, {
    partitionBy: mapArray(partitionBy, map),
    orderBy: mapOrder(orderBy, map),
    ...(frame && {
      frame: withMembers(frame, {
        from: mapEnd(frame.from, map),
        ...(frame.to && { to: mapEnd(frame.to, map) }),
      }),
    }),
  });
}

function mapEnd(end: FrameEnd, map: MapExpr): FrameEnd {
  return end.end === "current" || !end.distance ? end : withMembers(end, { distance: map(end.distance) });
}

function mapBody(body: TreeBody, map: MapExpr): TreeBody {
  const { from, columns, where, search, groupBy, having, orderBy, limit } = body;
  return withMembers(body, {
    from: mapSource(from, map),
    ...(columns && { columns: mapColumns(columns, map) }),
    ...(where && { where: map(where) }),
    ...(search && { search: map(search) }),
    ...(groupBy && { groupBy: mapArray(groupBy, map) }),
    ...(having && { having: map(having) }),
    ...(orderBy && { orderBy: mapOrder(orderBy, map) }),
    ...(limit && { limit: mapLimit(limit, map) }),
  });
}

function mapSource(source: TreeSource, map: MapExpr): TreeSource {
  if (source.kind !== "join") return map(source) as TreeSource;
  return withMembers(source, {
    args: mapArray(source.args, (arg) => mapSource(arg, map)),
    ...(source.on && { on: map(source.on) }),
  });
}

function mapColumns(columns: readonly TreeColumn[], map: MapExpr): readonly TreeColumn[] {
  return mapArray(columns, (column): TreeColumn => {
    if (column === "*") return column;
    if (column.kind !== "nested") return map(column) as TreeColumn;
    const { ref, expand, inline, where, search, orderBy, limit, query } = column;
    return withMembers(column, {
      ...(ref && { ref: mapSteps(ref, map) }),
      ...(expand && { expand: mapColumns(expand, map) }),
      ...(inline && { inline: mapColumns(inline, map) }),
      ...(where && { where: map(where) }),
      ...(search && { search: map(search) }),
      ...(orderBy && { orderBy: mapOrder(orderBy, map) }),
      ...(limit && { limit: mapLimit(limit, map) }),
      ...(query && { query: map(query) as typeof query }),
    });
  });
}

function mapSteps(steps: readonly TreeStep[], map: MapExpr): readonly TreeStep[] {
  return mapArray(steps, (step): TreeStep => {
    if (typeof step === "string") return step;
    const { where, args, groupBy, having, orderBy, limit, rows, query } = step;
    return withMembers(step, {
      ...(where && { where: map(where) }),
      ...(args && { args: mapRecord(args, map) }),
      ...(groupBy && { groupBy: mapArray(groupBy, map) }),
      ...(having && { having: map(having) }),
      ...(orderBy && { orderBy: mapOrder(orderBy, map) }),
      ...(limit && { limit: mapLimit(limit, map) }),
      ...(rows && { rows: map(rows) }),
      ...(query && { query: map(query) as TreeQuery }),
    });
  });
}

function mapRecord(record: Readonly<Record<string, Expr>>, map: MapExpr): Readonly<Record<string, Expr>> {
  return withMembers(
    record,
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)])),
  );
}

function mapLimit(limit: TreeLimit, map: MapExpr): TreeLimit {
  return withMembers(limit, {
    ...(limit.rows && { rows: map(limit.rows) }),
    ...(limit.offset && { offset: map(limit.offset) }),
  });
}

/** An order with other terms. */
export function mapOrder(terms: readonly TreeOrder[], map: MapExpr): readonly TreeOrder[] {
  return mapArray(terms, (term) => map(term) as TreeOrder);
}

/** A list with other entries; the same one if none is another. */
export function mapArray<T>(values: readonly T[], map: (value: T, index: number) => T): readonly T[] {
  const mapped = values.map(map);
  return mapped.every((value, at) => value === values[at]) ? values : mapped;
}

/** A node with other members; the same one if none is another. */
export function withMembers<T extends object>(node: T, members: Partial<T>): T {
  for (const name in members) if (members[name] !== node[name]) return { ...node, ...members };
  return node;
}
