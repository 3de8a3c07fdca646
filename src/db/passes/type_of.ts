/**
 * The types of expressions, as far as the format of results depends on them.
 *
 * @module
 */

import { CONDITION_OPERATORS } from "../../cqn/condition_operators.ts";
import type { Expression } from "../../cqn/cqn.ts";

const FUNCTION_TYPES: Readonly<Record<string, string>> = {
  contains: "cds.Boolean",
  startswith: "cds.Boolean",
  endswith: "cds.Boolean",
  matchespattern: "cds.Boolean",
  count: "cds.Integer",
  countdistinct: "cds.Integer",
  length: "cds.Integer",
  indexof: "cds.Integer",
  year: "cds.Integer",
  month: "cds.Integer",
  day: "cds.Integer",
  hour: "cds.Integer",
  minute: "cds.Integer",
  second: "cds.Integer",
  now: "cds.Timestamp",
  date: "cds.Date",
  time: "cds.Time",
  concat: "cds.String",
  substring: "cds.String",
  tolower: "cds.String",
  toupper: "cds.String",
  lower: "cds.String",
  upper: "cds.String",
  trim: "cds.String",
  ltrim: "cds.String",
  rtrim: "cds.String",
  replace: "cds.String",
  $filtered: "cds.Map",
};

/**
 * The built-in type of an expression that is no path.
 *
 * @param expression any expression
 * @returns undefined where it cannot be told
 */
export function typeOf(expression: Expression): string | undefined {
  const { cast } = expression as { cast?: { type?: unknown } };
  if (typeof cast?.type === "string") return cast.type;
  if ("val" in expression) return typeof expression.val === "boolean" ? "cds.Boolean" : undefined;
  if ("func" in expression) return FUNCTION_TYPES[expression.func.toLowerCase()];
  if (!("xpr" in expression)) return undefined;
  if (expression.xpr[0] === "case") return undefined;
  return expression.xpr.some((token) => CONDITION_OPERATORS.has(token)) ? "cds.Boolean" : undefined;
}

/** Whether a type is one of texts. */
export function isText(type: unknown): boolean {
  return type === "cds.String" || type === "cds.LargeString";
}
