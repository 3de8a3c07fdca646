/**
 * Types of expressions that have no cast: what can be told without a database.
 *
 * @module
 */

import type { Expression, Xo } from "../../cqn/cqn.ts";
import { CONDITION_OPERATORS } from "../../cqn/condition_operators.ts";
import { INTEGER_TYPES } from "../builtin_types.ts";
import { copyElement, type DraftElement, stepNames } from "./draft.ts";

/** Finds the element of a path, if it leads anywhere. */
export type ElementLookup = (steps: readonly string[]) => DraftElement | undefined;

const FUNCTION_TYPES: Readonly<Record<string, string>> = {
  count: "cds.Int64",
  countdistinct: "cds.Int64",
  avg: "cds.Decimal",
  average: "cds.Decimal",
  length: "cds.Integer",
  indexof: "cds.Integer",
  year: "cds.Integer",
  month: "cds.Integer",
  day: "cds.Integer",
  hour: "cds.Integer",
  minute: "cds.Integer",
  second: "cds.Integer",
  concat: "cds.String",
  substring: "cds.String",
  upper: "cds.String",
  lower: "cds.String",
  toupper: "cds.String",
  tolower: "cds.String",
  trim: "cds.String",
  contains: "cds.Boolean",
  startswith: "cds.Boolean",
  endswith: "cds.Boolean",
  now: "cds.Timestamp",
  current_date: "cds.Date",
  current_time: "cds.Time",
  current_timestamp: "cds.Timestamp",
  current_user: "cds.String",
  session_user: "cds.String",
  row_number: "cds.Int64",
  rank: "cds.Int64",
  dense_rank: "cds.Int64",
  string_agg: "cds.String",
};

/** Types of literals that are written as text. */
const LITERAL_TYPES: Readonly<Record<string, string>> = {
  date: "cds.Date",
  time: "cds.Time",
  timestamp: "cds.Timestamp",
  number: "cds.Decimal",
  x: "cds.Binary",
};

/** Functions whose result has the type of their first argument. */
const SAME_AS_ARGUMENT: ReadonlySet<string> = new Set([
  "sum",
  "min",
  "max",
  "coalesce",
  "ifnull",
  "abs",
  "round",
]);

/**
 * The type of an expression.
 *
 * @param expression any expression
 * @param lookup finds the elements of its paths
 * @returns type name and facets; nothing if the type cannot be told
 */
export function expressionType(expression: Expression, lookup: ElementLookup): DraftElement {
  if ("val" in expression) {
    const { literal } = expression;
    return literal !== undefined && Object.hasOwn(LITERAL_TYPES, literal)
      ? { type: LITERAL_TYPES[literal] }
      : literalType(expression.val);
  }
  if ("ref" in expression) return expression.param ? {} : pathType(stepNames(expression.ref), lookup);
  if ("func" in expression) return functionType(expression, lookup);
  if ("xpr" in expression) return operatorsType(expression.xpr, lookup);
  return {};
}

function literalType(value: unknown): DraftElement {
  if (typeof value === "string") return { type: "cds.String" };
  if (typeof value === "boolean") return { type: "cds.Boolean" };
  if (typeof value === "number") return { type: Number.isInteger(value) ? "cds.Integer" : "cds.Decimal" };
  return {};
}

function pathType(steps: readonly string[], lookup: ElementLookup): DraftElement {
  if (steps[0] === "$now") return { type: "cds.Timestamp" };
  if (["$user", "$tenant"].includes(steps[0])) return { type: "cds.String" };
  const element = lookup(steps);
  if (!element || element.target !== undefined) return {};
  const { type, length, precision, scale, elements, items } = copyElement(element);
  const known = Object.entries({ type, length, precision, scale, elements, items });
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

function functionType(
  { func, args }: Extract<Expression, { readonly func: string }>,
  lookup: ElementLookup,
): DraftElement {
  const name = func.toLowerCase();
  if (FUNCTION_TYPES[name]) return { type: FUNCTION_TYPES[name] };
  const first = Array.isArray(args) ? args[0] as Expression | "*" | undefined : undefined;
  return SAME_AS_ARGUMENT.has(name) && first && first !== "*" ? expressionType(first, lookup) : {};
}

function operatorsType(xpr: readonly Xo[], lookup: ElementLookup): DraftElement {
  const operand = (item: Xo | undefined) =>
    item && typeof item !== "string" ? expressionType(item, lookup) : {};
  if (xpr[0] === "case") return operand(xpr[xpr.indexOf("then") + 1]);
  if (xpr.includes("||")) return { type: "cds.String" };
  if (xpr.some((item) => CONDITION_OPERATORS.has(item))) return { type: "cds.Boolean" };
  if (xpr.length === 1) return operand(xpr[0]);
  const types = xpr.filter((item) => typeof item !== "string").map((item) => operand(item).type);
  if (types.some((type) => type === undefined)) return {};
  if (types.every((type) => INTEGER_TYPES.has(type))) {
    return { type: xpr.includes("/") ? "cds.Decimal" : types[0] };
  }
  if (types.includes("cds.Double")) return { type: "cds.Double" };
  return types.every((type) => INTEGER_TYPES.has(type) || type === "cds.Decimal")
    ? { type: "cds.Decimal" }
    : {};
}
