/**
 * Paths from `$root` (OData 4.01 Part 2, section 5.1.1.15): what they lead to is read by a query of its own.
 *
 * @module
 */

import type { MemberExpr, MemberName, MemberStep } from "../../url/ast.ts";
import { addWhere, type PlanParts, type Walk } from "./member_walk.ts";
import { badRequest, notImplemented, unknownName } from "../plan_error.ts";
import { keyCondition, keyPredicate } from "../paths/plan_keys.ts";
import { resolveAlias } from "./resolve_alias.ts";
import type { Scope } from "../scope.ts";
import { isSingleton } from "../../../model/service_document.ts";

/**
 * A path that starts at `$root`.
 *
 * @param expr the path
 * @param scope the scope of the expression
 * @param parts plans the expressions in it
 * @returns the path behind the entity set, and the steps that are left
 * @throws {ServiceError} 400 for unknown names
 */
export function rootWalk(
  { steps, offset }: MemberExpr,
  scope: Scope,
  parts: PlanParts,
): { readonly walk: Walk; readonly rest: readonly MemberStep[] } {
  const [first, ...rest] = steps;
  if (first?.kind !== "memberName") throw badRequest("The name of an entity set is expected", offset);
  const { index } = scope;
  if (index === undefined) throw notImplemented('"$root" here', offset);
  const entity = index.entitySets.get(first.name);
  if (entity === undefined) {
    if (index.operations.has(first.name)) throw badRequest("A call needs parentheses", first.offset);
    const known = index.entitySets.keys();
    throw unknownName({
      name: first.name,
      offset: first.offset,
      what: "entity set",
      owner: index.service.name,
      known,
    });
  }
  const many = !isSingleton(entity);
  const walk: Walk = { scope, parts, entity, ref: [entity.name], root: true, many };
  keyStep(walk, first);
  return { walk, rest };
}

/**
 * Reads the key behind the name of a collection.
 *
 * @param walk has reached a collection; one instance with a key
 * @param node the name
 * @throws {ServiceError} 400 for a key that is none
 */
export function keyStep(walk: Walk, { name, parens, offset }: MemberName): void {
  const [list, more] = parens;
  if (list === undefined) return;
  if (more !== undefined) throw badRequest(`"${name}" has more than one key predicate`, more.offset);
  if (!walk.many) throw badRequest(`"${name}" is not a collection`, offset);
  const { bindings } = walk.scope;
  const key = keyPredicate(list, {
    entity: walk.entity,
    bindings,
    resolveAlias: (expr) => resolveAlias(expr, walk.scope),
  });
  addWhere(walk, keyCondition(key));
  walk.many = false;
}
