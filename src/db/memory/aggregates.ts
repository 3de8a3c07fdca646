/**
 * Functions over the rows of a group.
 *
 * @module
 */

import type { Expression } from "../../cqn/cqn.ts";
import { DecimalSum } from "../decimals.ts";
import { OPERATORS } from "./operators.ts";
import { compare, identity } from "./values.ts";

type Aggregate = (values: readonly unknown[]) => unknown;

function sum(values: readonly unknown[]): unknown {
  if (values.length === 0) return null;
  return values.reduce((total, value) => OPERATORS["+"].apply(total, () => value));
}

function average(values: readonly unknown[]): unknown {
  return values.length === 0 ? null : Number(sum(values)) / values.length;
}

function decimals(result: (sum: DecimalSum) => number): Aggregate {
  return (values) => {
    if (values.length === 0) return null;
    const sum = new DecimalSum();
    for (const value of values) sum.add(Number(value));
    return result(sum);
  };
}

/** Aggregate functions of values that are not null, by lower-case name. */
export const AGGREGATES: Readonly<Record<string, Aggregate>> = {
  sum,
  avg: average,
  average,
  $decimal_sum: decimals((sum) => sum.value),
  $decimal_avg: decimals((sum) => sum.average),
  min: (values) => values.length === 0 ? null : values.reduce((a, b) => compare(a, b) <= 0 ? a : b),
  max: (values) => values.length === 0 ? null : values.reduce((a, b) => compare(a, b) >= 0 ? a : b),
  count: (values) => values.length,
  countdistinct: (values) => new Set(values.map((value) => identity([value]))).size,
};

/** Whether a function gives one value for all rows of a group. */
export function isAggregate(expression: Extract<Expression, { func: string }>): boolean {
  if (expression.xpr) return false;
  const name = expression.func.toLowerCase();
  if (name === "$json_array") return true;
  const args = expression.args as readonly unknown[] | undefined;
  return Object.hasOwn(AGGREGATES, name) && (args?.length ?? 0) <= 1;
}

/** Whether an expression holds an aggregate function, outside of subqueries. */
export function holdsAggregate(expression: unknown): boolean {
  if (typeof expression !== "object" || expression === null) return false;
  if (Array.isArray(expression)) return expression.some(holdsAggregate);
  if ("SELECT" in expression || "SET" in expression) return false;
  if ("func" in expression && isAggregate(expression as Extract<Expression, { func: string }>)) return true;
  return ["args", "xpr", "list"].some((name) =>
    holdsAggregate((expression as Record<string, unknown>)[name])
  );
}
