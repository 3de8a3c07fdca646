/**
 * Grouping and aggregate functions in memory.
 *
 * @module
 */

import type { Column, Expression, Row, SelectBody } from "../../cqn/cqn.ts";
import { compileCondition, compileOperand } from "./compile_expression.ts";
import { compare } from "./operators.ts";
import type { EvaluationContext, Evaluator, Scope } from "./scope.ts";

type Aggregate = (values: readonly unknown[]) => unknown;

const AGGREGATES: Readonly<Record<string, Aggregate>> = {
  sum: (values) => values.length === 0 ? null : values.reduce<number>((sum, value) => sum + Number(value), 0),
  min: (values) => values.length === 0 ? null : values.reduce((a, b) => compare(a, b) <= 0 ? a : b),
  max: (values) => values.length === 0 ? null : values.reduce((a, b) => compare(a, b) >= 0 ? a : b),
  avg: average,
  average,
  count: (values) => values.length,
  countdistinct: (values) => new Set(values.map(String)).size,
};

function average(values: readonly unknown[]): unknown {
  if (values.length === 0) return null;
  return values.reduce<number>((sum, value) => sum + Number(value), 0) / values.length;
}

/** Whether a column is a call of an aggregate function. */
export function isAggregate(column: Column): boolean {
  if (column === "*" || !("func" in column)) return false;
  const args = column.args as readonly unknown[] | undefined;
  const overPath = column.func === "count" && args?.[0] !== "*" && args?.length === 1;
  return column.func.toLowerCase() in AGGREGATES && !overPath;
}

/** Groups rows and computes the columns of each group; `having` filters groups. */
export function aggregateRows(
  rows: readonly Row[],
  select: SelectBody,
  place: { scope: Scope; context: EvaluationContext },
): Row[] {
  const { scope, context } = place;
  const keys = (select.groupBy ?? []).map((expression) => compileOperand(expression, scope));
  const groups = new Map<string, Row[]>();
  if (keys.length === 0) groups.set("[]", []);
  for (const row of rows) {
    const key = JSON.stringify(keys.map((evaluate) => evaluate(row, context)));
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const columns = (select.columns ?? []).map((column) => groupColumn(column, place));
  const having = select.having ? compileCondition(select.having, scope) : undefined;
  return [...groups.values()].filter((group) => !having || having(group[0] ?? {}, context)).map((group) =>
    Object.fromEntries(columns.map(({ name, compute }) => [name, compute(group) ?? null]))
  );
}

interface GroupColumn {
  readonly name: string;
  readonly compute: (group: readonly Row[]) => unknown;
}

function groupColumn(
  column: Column,
  { scope, context }: { scope: Scope; context: EvaluationContext },
): GroupColumn {
  const expression = column as Expression & { as?: string };
  const name = expression.as ??
    ("ref" in expression ? String(expression.ref.at(-1)) : "func" in expression ? expression.func : "");
  if (!isAggregate(column) || !("func" in expression)) {
    const evaluate = compileOperand(expression, scope);
    return { name, compute: (group) => group.length > 0 ? evaluate(group[0], context) : null };
  }
  const aggregate = AGGREGATES[expression.func.toLowerCase()];
  const [argument] = (expression.args ?? ["*"]) as readonly (Expression | "*")[];
  const evaluate: Evaluator = argument === "*" ? () => 1 : compileOperand(argument, scope);
  const values = (group: readonly Row[]) =>
    group.map((row) => evaluate(row, context)).filter((value) => value !== null && value !== undefined);
  return { name, compute: (group) => aggregate(values(group)) };
}
