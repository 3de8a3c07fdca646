/**
 * Aggregates of subqueries.
 *
 * @module
 */

import type { Expression, FunctionExpression } from "../../cqn/cqn.ts";
import { walkExpression } from "../../cqn/walk.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { type Scope, stepName } from "./scope.ts";

const AGGREGATES: ReadonlySet<string> = new Set([
  "count",
  "countdistinct",
  "sum",
  "min",
  "max",
  "avg",
  "average",
  "$decimal_sum",
  "$decimal_avg",
]);

/**
 * Whether an expression is an aggregate, no window.
 *
 * @param expression any expression
 */
export function isAggregate(expression: object): expression is FunctionExpression {
  return "func" in expression && !("xpr" in expression) &&
    AGGREGATES.has(String(expression.func).toLowerCase());
}

/**
 * The aggregate with a column of the rows it is about: to SQL, one that has columns of the query around it only belongs to
 * that query, and makes one row of all its rows.
 *
 * @param call a lowered call
 * @param scope the scope it stands in
 */
export function ownAggregate(call: FunctionExpression, scope: Scope): FunctionExpression {
  if (scope.parent === undefined || !isAggregate(call) || !Array.isArray(call.args)) return call;
  const [value, ...others] = call.args as readonly (Expression | "*")[];
  if (typeof value !== "object" || !isForeign(value, scope)) return call;
  const own = ownColumn(scope);
  if (own === undefined) return call;
  const argument = { xpr: ["case", "when", own, "is", "null", "then", value, "else", value, "end"] };
  return { ...call, args: [argument, ...others] };
}

/** Whether a value has columns of the scopes around, and none of its own. */
function isForeign(value: Expression, scope: Scope): boolean {
  let hasOwn = false;
  let hasOuter = false;
  walkExpression(value, (expression) => {
    if (!("ref" in expression) || !expression.ref || "param" in expression) return;
    const alias = stepName(expression.ref[0]);
    hasOwn ||= scope.hasAlias(alias);
    hasOuter ||= isAround(alias, scope.parent);
  });
  return hasOuter && !hasOwn;
}

function isAround(alias: string, scope: Scope | undefined): boolean {
  return scope !== undefined && (scope.hasAlias(alias) || isAround(alias, scope.parent));
}

function ownColumn({ sources: [source] }: Scope): Expression | undefined {
  if (source === undefined) return undefined;
  const { alias, columns, entity } = source;
  const name = columns ? columns.keys().next().value : entity && columnOf(entity);
  return name === undefined ? undefined : { ref: [alias, name] };
}

function columnOf({ $flat }: LinkedEntity): string | undefined {
  for (const { name, virtual, element } of $flat.values()) {
    if (!virtual && element.value === undefined) return name;
  }
}
