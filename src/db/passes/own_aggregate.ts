/**
 * Aggregates of subqueries.
 *
 * @module
 */

import { column, isNull } from "../../algebra/build.ts";
import { isAggregate } from "../../algebra/functions.ts";
import type { Call, Case, Expr } from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { Scope } from "./scope.ts";
import { stepName } from "../../cqn/steps.ts";

/**
 * The aggregate with a column of the rows it is about: to SQL, one that has columns of the query around it only belongs to
 * that query, and makes one row of all its rows.
 *
 * @param call a lowered call
 * @param scope the scope it stands in
 */
export function ownAggregate(call: Call, scope: Scope): Call {
  if (scope.parent === undefined || !isAggregate(call)) return call;
  const [value, ...others] = call.args ?? [];
  if (typeof value !== "object" || !isForeign(value, scope)) return call;
  const own = ownColumn(scope);
  if (own === undefined) return call;
  const branches = [{ when: isNull(own), then: value }];
  const argument: Case = { kind: "case", branches, otherwise: value, type: value.type };
  return { ...call, args: [argument, ...others] };
}

/** Whether a value has columns of the scopes around, and none of its own. */
function isForeign(value: Expr, scope: Scope): boolean {
  let hasOwn = false;
  let hasOuter = false;
  walkTree(value, (expression) => {
    if (expression.kind !== "reference") return;
    const alias = stepName(expression.ref[0]!);
    hasOwn ||= scope.hasAlias(alias);
    hasOuter ||= isAround(alias, scope.parent);
  });
  return hasOuter && !hasOwn;
}

function isAround(alias: string, scope: Scope | undefined): boolean {
  return scope !== undefined && (scope.hasAlias(alias) || isAround(alias, scope.parent));
}

function ownColumn({ sources: [source] }: Scope): Expr | undefined {
  if (source === undefined) return undefined;
  const { alias, columns, entity } = source;
  const name = columns ? columns.keys().next().value : entity && columnOf(entity);
  return name === undefined ? undefined : column(alias, name);
}

function columnOf({ $flat }: LinkedEntity): string | undefined {
  for (const { name, virtual, element } of $flat.values()) {
    if (!virtual && element.value === undefined) return name;
  }
}
