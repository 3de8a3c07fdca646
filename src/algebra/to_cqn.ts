/**
 * Trees as CQN, for whoever looks at queries. Operands that are operations themselves stand in parentheses, but for conditions
 * joined by `and` and `or`.
 *
 * @module
 */

import type {
  Column,
  Expression,
  Limit,
  OrderTerm,
  RefStep,
  SelectBody,
  SelectQuery,
  SetQuery,
} from "../cqn/cqn.ts";
import type { NestedColumn, NestedValidity, Source, Xo } from "../cqn/cqn.ts";
import { toExpression } from "../cqn/conjunction.ts";
import type {
  Call,
  Expr,
  FrameEnd,
  Joined,
  TreeColumn,
  TreeInstant,
  TreeLimit,
  TreeNested,
  TreeOrder,
  TreeQuery,
  TreeSelect,
  TreeSource,
  TreeStep,
  TreeValidity,
  Window,
} from "./tree.ts";

/** A tree as flat expression array. */
export function toXo(expression: Expr): readonly Xo[] {
  switch (expression.kind) {
    case "unary": {
      const { op, arg } = expression;
      return [op, ...(arg.kind === "exists" ? toXo(arg) : [operand(arg)])];
    }
    case "arithmetic":
      return [operand(expression.left), expression.op, operand(expression.right)];
    case "comparison":
      return [operand(expression.left), ...expression.op.split(" "), right(expression)];
    case "joined":
      return joinedTokens(expression);
    case "in":
      return [operand(expression.left), ...negation(expression), "in", operand(expression.right)];
    case "like": {
      const escape = expression.escape ? ["escape", operand(expression.escape)] : [];
      return [
        operand(expression.left),
        ...negation(expression),
        "like",
        operand(expression.pattern),
        ...escape,
      ];
    }
    case "between": {
      const { left, low, high } = expression;
      return [operand(left), ...negation(expression), "between", operand(low), "and", operand(high)];
    }
    case "case":
      return [
        "case",
        ...(expression.subject ? [operand(expression.subject)] : []),
        ...expression.branches.flatMap((
          { when, then },
        ): Xo[] => ["when", ...toXo(when), "then", operand(then)]),
        ...(expression.otherwise ? ["else", operand(expression.otherwise)] : []),
        "end",
      ];
    case "exists":
      return ["exists", toCqnExpression(expression.arg)];
    default:
      return [toCqnExpression(expression)];
  }
}

function negation({ negated }: { readonly negated: boolean }): readonly string[] {
  return negated ? ["not"] : [];
}

/** `is null` has no operand. */
function right({ op, right }: Extract<Expr, { kind: "comparison" }>): Xo {
  const isTest = op === "is" || op === "is not";
  return isTest && right.kind === "literal" && right.val === null ? "null" : operand(right);
}

function joinedTokens({ op, args }: Joined): readonly Xo[] {
  return args.flatMap((arg, at): Xo[] => {
    const isPlain = op !== "||" && arg.kind !== "joined" && !(arg.kind === "case");
    return [...(at > 0 ? [op] : []), ...(isPlain ? toXo(arg) : [operand(arg)])];
  });
}

function operand(expression: Expr): Expression {
  const tokens = toXo(expression);
  return tokens.length === 1 ? toExpression(tokens) : { xpr: tokens };
}

/** A tree as expression; the name of a column and the order of a term stay beside it. */
export function toCqnExpression(expression: Expr): Expression {
  return { ...plainOf(expression), ...besideOf(expression) } as Expression;
}

const BESIDE = ["as", "key", "virtual", "sort", "nulls"] as const;

function besideOf(expression: object): object {
  const given = expression as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    BESIDE.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  );
}

function plainOf(expression: Expr): Expression {
  switch (expression.kind) {
    case "literal":
      return {
        val: expression.val,
        ...(expression.literal !== undefined && { literal: expression.literal }),
      };
    case "parameter":
      return { ref: [expression.name], param: true };
    case "variable":
      return { ref: expression.path };
    case "reference":
      return { ref: toSteps(expression.ref) };
    case "symbol":
      return { "#": expression.symbol };
    case "list":
      return { list: expression.list.map((one) => ({ ...operand(one), ...besideOf(one) }) as Expression) };
    case "call":
      return callOf(expression);
    case "cast": {
      const value = operand(expression.arg);
      const isPlain = !("cast" in value) && !("SELECT" in value) && !("SET" in value);
      return Object.assign(isPlain ? { ...value } : { xpr: [value] }, { cast: expression.cast });
    }
    case "unlocalized":
      return { xpr: toXo(expression.arg), localized: false };
    case "select":
    case "set":
      return toQuery(expression);
    default:
      return { xpr: toXo(expression) };
  }
}

function callOf({ func, args, names, distinct, orderBy, over }: Call): Expression {
  const xpr = over && { xpr: ["over", { xpr: windowTokens(over) }] };
  if (args === undefined) return { func, ...xpr };
  if (names) {
    const named = names.map((name, at) => [name, operand(args[at] as Expr)] as const);
    return { func, args: Object.fromEntries(named), ...xpr };
  }
  const last = args.length - 1;
  const values = args.map((arg, at): Expression | "*" => {
    if (arg === "*") return arg;
    const before = distinct && at === 0 ? ["distinct"] : [];
    const behind = orderBy?.length && at === last ? orderTokens(orderBy) : [];
    return toExpression([...before, operand(arg), ...behind]);
  });
  return { func, args: values, ...xpr };
}

function windowTokens({ partitionBy, orderBy, frame }: Window): readonly Xo[] {
  const partition = partitionBy.flatMap((
    one,
    at,
  ): Xo[] => [...(at > 0 ? [","] : ["partition", "by"]), operand(one)]);
  if (!frame) return [...partition, ...orderTokens(orderBy)];
  const { measure, from, to } = frame;
  const ends = to ? ["between", ...endTokens(from), "and", ...endTokens(to)] : endTokens(from);
  return [...partition, ...orderTokens(orderBy), measure, ...ends];
}

function endTokens(end: FrameEnd): readonly Xo[] {
  if (end.end === "current") return ["current", "row"];
  return [end.distance ? operand(end.distance) : "unbounded", end.end];
}

function orderTokens(terms: readonly TreeOrder[]): readonly Xo[] {
  return terms.flatMap((term, at): Xo[] => {
    const { sort, nulls, ...plain } = term;
    return [
      ...(at > 0 ? [","] : ["order", "by"]),
      operand(plain as Expr),
      ...(sort ? [sort] : []),
      ...(nulls ? ["nulls", nulls] : []),
    ];
  });
}

/** The steps of a path as CQN. */
export function toSteps(ref: readonly TreeStep[]): readonly RefStep[] {
  return ref.map((step): RefStep => {
    if (typeof step === "string") return step;
    const { where, args, groupBy, having, orderBy, limit, rows, query, ...plain } = step;
    return {
      ...plain,
      ...(where && { where: toXo(where) }),
      ...(args && {
        args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, operand(value)])),
      }),
      ...(groupBy && { groupBy: groupBy.map(operand) }),
      ...(having && { having: toXo(having) }),
      ...(orderBy && { orderBy: orderBy.map(toOrder) }),
      ...(limit && { limit: toLimit(limit) }),
      ...(rows && { rows: operand(rows) }),
      ...(query && { query: toQuery(query) }),
    } as RefStep;
  });
}

function toOrder(term: TreeOrder): OrderTerm {
  return toCqnExpression(term) as OrderTerm;
}

function toLimit({ rows, offset }: TreeLimit): Limit {
  // bounds are values and parameters
  return { ...(rows && { rows: operand(rows) }), ...(offset && { offset: operand(offset) }) } as Limit;
}

/** A tree as query. */
export function toQuery(query: TreeSelect): SelectQuery;
export function toQuery(query: TreeQuery): SelectQuery | SetQuery;
export function toQuery(query: TreeQuery): SelectQuery | SetQuery {
  if (query.kind === "set") {
    const { args, orderBy, limit, ...plain } = query.SET;
    return {
      SET: {
        ...plain,
        args: args.map((arg) => toQuery(arg)),
        ...(orderBy && { orderBy: orderBy.map(toOrder) }),
        ...(limit && { limit: toLimit(limit) }),
      },
    };
  }
  const { from, columns, where, search, groupBy, having, orderBy, limit, validity, ...plain } = query.SELECT;
  const body: SelectBody = {
    ...plain as Partial<SelectBody>,
    from: toSource(from),
    ...(columns && { columns: columns.map(toColumn) }),
    ...(where && { where: toXo(where) }),
    ...(search && { search: toXo(search) }),
    ...(groupBy && { groupBy: groupBy.map(operand) }),
    ...(having && { having: toXo(having) }),
    ...(orderBy && { orderBy: orderBy.map(toOrder) }),
    ...(limit && { limit: toLimit(limit) }),
    ...(validity && { validity: toValidity(validity) }),
  };
  return { SELECT: body };
}

function toSource(source: TreeSource): Source {
  const as = source.as === undefined ? {} : { as: source.as };
  if (source.kind !== "join") return { ...plainOf(source), ...as } as Source;
  const { join, args, on } = source;
  return { join, args: args.map(toSource), ...(on && { on: toXo(on) }), ...as };
}

function toColumn(column: TreeColumn): Column {
  if (column === "*") return column;
  return column.kind === "nested" ? toNested(column) : toCqnExpression(column) as Column;
}

function toNested({ kind: _kind, ...column }: TreeNested): NestedColumn {
  const { ref, expand, inline, where, search, orderBy, limit, validity, query, ...plain } = column;
  return {
    ...plain,
    ...(ref && { ref: toSteps(ref) }),
    ...(expand && { expand: expand.map(toColumn) }),
    ...(inline && { inline: inline.map(toColumn) }),
    ...(where && { where: toXo(where) }),
    ...(search && { search: toXo(search) }),
    ...(orderBy && { orderBy: orderBy.map(toOrder) }),
    ...(limit && { limit: toLimit(limit) }),
    ...(validity && { validity: toValidity(validity) }),
    ...(query && { query: toQuery(query) }),
  };
}

function toValidity({ from, to }: TreeValidity): NestedValidity {
  const instant = ({ exact, seconds, days }: TreeInstant) => ({
    exact: operand(exact),
    seconds: operand(seconds),
    days: operand(days),
  });
  return { from: instant(from), to: instant(to) };
}
