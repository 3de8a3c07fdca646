/**
 * Nodes of trees, frozen, with the types that follow from what they are made of.
 *
 * @module
 */

import type { CastType, Scalar } from "../cqn/cqn.ts";
import { resultOf } from "./functions.ts";
import type {
  Arithmetic,
  ArithmeticOperator,
  Branch,
  Call,
  Case,
  Cast,
  Comparison,
  ComparisonOperator,
  Exists,
  Expr,
  Joined,
  Known,
  List,
  Literal,
  Membership,
  Parameter,
  Reference,
  TreeBody,
  TreeQuery,
  TreeSelect,
  TreeStep,
  Unary,
} from "./tree.ts";

/** Types of typed literals. */
const LITERALS: Readonly<Record<string, string>> = {
  date: "cds.Date",
  time: "cds.Time",
  timestamp: "cds.Timestamp",
  number: "cds.Decimal",
};

/** A value that stands in the query. */
export function literal(val: Literal["val"], written?: string): Literal {
  const type = typeOfLiteral(val, written);
  return Object.freeze({
    kind: "literal",
    val,
    ...(written !== undefined && { literal: written }),
    type,
    ...(val !== null && { notNull: true }),
  });
}

/** The type of a literal: numbers have the smallest that holds them. */
export function typeOfLiteral(val: Literal["val"], written?: string): string | undefined {
  if (written !== undefined && typeof val === "string") return LITERALS[written];
  switch (typeof val) {
    case "string":
      return "cds.String";
    case "boolean":
      return "cds.Boolean";
    case "bigint":
      return "cds.Int64";
    case "number":
      return typeOfNumber(val);
  }
  return val instanceof Date ? "cds.Timestamp" : undefined;
}

function typeOfNumber(value: number): string {
  if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 63) return "cds.Decimal";
  return Math.abs(value) < 2 ** 31 ? "cds.Integer" : "cds.Int64";
}

/** A number that is written into the text of a statement, with all its digits. */
export function numeral(val: Scalar): Literal {
  return literal(val, "number");
}

/** The one of subqueries that only tell whether there are rows. */
export const ONE: Literal = numeral(1);

/** No value. */
export const NULL: Literal = literal(null);

/** A value that is given with the query. */
export function parameter(name: string): Parameter {
  return Object.freeze({ kind: "parameter", name });
}

/** A path. */
export function reference(ref: readonly TreeStep[], known?: Known): Reference {
  return Object.freeze({ kind: "reference", ref, ...known });
}

/** A column of a source. */
export function column(alias: string, name: string, known?: Known): Reference {
  return reference([alias, name], known);
}

/** A call. */
export function call(func: string, args: readonly (Expr | "*")[], more?: Omit<Partial<Call>, "args">): Call {
  const known = more && "type" in more ? undefined : { type: resultOf(func, args) };
  return Object.freeze({ kind: "call", func, args, ...known, ...more });
}

/** A value as one of another type. */
export function cast(arg: Expr, to: CastType): Cast {
  const type = typeof to.type === "string" ? to.type : undefined;
  return Object.freeze({ kind: "cast", arg, cast: to, type });
}

/** A comparison. */
export function compare(left: Expr, op: ComparisonOperator, right: Expr): Comparison {
  return Object.freeze({ kind: "comparison", op, left, right, type: "cds.Boolean" });
}

/** A condition that every row meets. */
export const ALWAYS: Comparison = compare(literal(1), "=", literal(1));

/** A condition that no row meets. */
export const NEVER: Comparison = compare(literal(1), "=", literal(0));

/** A calculation. */
export function arithmetic(left: Expr, op: ArithmeticOperator, right: Expr): Arithmetic {
  return Object.freeze({ kind: "arithmetic", op, left, right });
}

/** A value with the other sign. */
export function negative(arg: Expr): Unary {
  return Object.freeze({ kind: "unary", op: "-", arg });
}

/** Membership in a list, or in the rows of a query. */
export function isIn(left: Expr, right: Expr, negated = false): Membership {
  return Object.freeze({ kind: "in", left, right, negated, type: "cds.Boolean" });
}

/** The value of the first branch whose condition is true; null without one, unless there is another value for it. */
export function caseOf(branches: readonly Branch[], otherwise?: Expr): Case {
  return Object.freeze({ kind: "case", branches, ...(otherwise && { otherwise }) });
}

/** A condition that is true where another one is false or null, and false where that is true. */
export function notTrue(condition: Expr): Comparison {
  return compare(caseOf([{ when: condition, then: literal(0) }], literal(1)), "=", literal(1));
}

/** Whether a value is null, or is not. */
export function isNull(value: Expr, negated = false): Comparison {
  return compare(value, negated ? "is not" : "is", NULL);
}

/** The contrary of a condition. */
export function not(arg: Expr): Unary {
  return Object.freeze({ kind: "unary", op: "not", arg, type: "cds.Boolean" });
}

/** Conditions or texts joined by an operator; those of the same operator become one. */
export function join(op: Joined["op"], parts: readonly Expr[]): Expr {
  const args = parts.flatMap((part) => part.kind === "joined" && part.op === op ? part.args : [part]);
  if (args.length === 1) return args[0]!;
  return Object.freeze({ kind: "joined", op, args, type: op === "||" ? "cds.String" : "cds.Boolean" });
}

/** All of the conditions that there are; undefined where there is none. */
export function allOf(conditions: readonly (Expr | undefined)[]): Expr | undefined {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? undefined : join("and", given);
}

/** The conditions that a condition is true by. */
export function conjuncts(condition: Expr | undefined): readonly Expr[] {
  if (condition === undefined) return [];
  return condition.kind === "joined" && condition.op === "and" ? condition.args : [condition];
}

/** A tuple. */
export function list(entries: readonly Expr[]): List {
  return Object.freeze({ kind: "list", list: entries });
}

/** A SELECT; members that are undefined are left out. */
export function select(body: TreeBody): TreeSelect {
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  // the members keep their types
  return Object.freeze({
    kind: "select",
    SELECT: Object.freeze(Object.fromEntries(given)) as unknown as TreeBody,
  });
}

/** Whether a query has rows. */
export function exists(arg: Reference | TreeQuery): Exists {
  return Object.freeze({ kind: "exists", arg, type: "cds.Boolean", notNull: true });
}

/** Whether an expression is bound to a value when the statement runs. */
export function isBound(expression: Expr): expression is Extract<Expr, { kind: "parameter" | "variable" }> {
  return expression.kind === "parameter" || expression.kind === "variable";
}
