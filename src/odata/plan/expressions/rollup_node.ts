/**
 * `Aggregation.rollupnode(Position=1)`: the node that a group of `rolluprecursive` stands for (Data Aggregation 4.0, 6.3).
 *
 * @module
 */

import type { CommonExpr, MemberExpr, MemberName, MemberStep } from "../../url/ast.ts";
import type { PlanParts, Walk } from "./member_walk.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { resolveAlias } from "./resolve_alias.ts";
import type { Scope } from "../scope.ts";

const NAME = "Aggregation.rollupnode";

/**
 * Whether a path starts with the call of the function; it may start at `$it`, as the function is bound to instances.
 *
 * @param expr the path
 */
export function isRollupNode({ root, steps }: MemberExpr): boolean {
  const [first] = steps;
  return (root === undefined || root === "$it") && first?.kind === "memberName" && first.name === NAME &&
    first.parens.length > 0;
}

/**
 * A path that starts at the node of a group.
 *
 * @param expr the path
 * @param scope the scope of the expression
 * @param parts plans the expressions in it
 * @returns the path at the node, and the steps that are left
 * @throws {ServiceError} 400 outside of `rolluprecursive`, and for hierarchies that it does not have
 */
export function rollupWalk(
  { steps }: MemberExpr,
  scope: Scope,
  parts: PlanParts,
): { readonly walk: Walk; readonly rest: readonly MemberStep[] } {
  const [call, ...rest] = steps;
  const { offset } = call as MemberName; // the caller has looked
  const { rollups, closed, computed } = scope;
  if (rollups === undefined) {
    throw badRequest(`"${NAME}" belongs into the transformations of rolluprecursive`, offset);
  }
  const node = rollups[positionOf(call as MemberName, scope) - 1];
  if (node === undefined) throw badRequest(`There are ${rollups.length} hierarchies here`, offset);
  const { alias, entity } = node;
  const given = (name: string) => {
    if (!closed) return { ref: [alias, `${alias}_${name}`] };
    const value = computed.get(`${alias}/${name}`);
    if (value) return value.expr;
    throw notImplemented(`"${name}" of the node behind these transformations`, offset);
  };
  return { walk: { scope, parts, entity, ref: [], root: false, many: false, given }, rest };
}

function positionOf({ parens, offset }: MemberName, scope: Scope): number {
  const [argument, more] = parens[0]?.items ?? [];
  if (argument === undefined) return 1;
  const value: CommonExpr = resolveAlias(argument.value, scope);
  const isPosition = argument.name === "Position" && value.kind === "primitiveLiteral" && more === undefined;
  const position = isPosition ? Number(value.value) : NaN;
  if (Number.isInteger(position) && position > 0) return position;
  throw badRequest(`The parameter of "${NAME}" is Position, a number from 1 on`, offset);
}
