/**
 * Own functions in expressions (OData 4.01 Part 2, section 5.1.1): unbound ones whose arguments are the same for all rows.
 * They are called once, before the query runs (`resources/read_calls.ts`); the query has what they return as parameter.
 *
 * @module
 */

import type { Expression } from "../../cqn/cqn.ts";
import type { CommonExpr, MemberExpr, MemberName } from "../url/ast.ts";
import type { Member, PlanCondition } from "./member_walk.ts";
import { functionOverload } from "./overloads.ts";
import { badRequest, notImplemented } from "./plan_error.ts";
import { itemMember } from "./plan_item.ts";
import { planArguments } from "./plan_operation.ts";
import { resolveAlias } from "./resolve_alias.ts";
import { type Scope, typeOf } from "./scope.ts";
import { boundOperation, localName, returnedEntity } from "./service_index.ts";

/**
 * Plans a path that starts with the call of an unbound function.
 *
 * @param expr the path
 * @param scope what names refer to
 * @param planCondition plans the conditions in it
 * @returns its value, or a part of it; undefined if the path starts with something else
 * @throws {ServiceError} 400 for wrong arguments and actions, 501 for functions that return entities
 */
export function calledMember(
  { root, steps }: MemberExpr,
  scope: Scope,
  planCondition: PlanCondition,
): Member | undefined {
  const [first, ...rest] = steps;
  if (first?.kind !== "memberName" || first.parens.length === 0 || !scope.index) return undefined;
  if (root !== "$root" && (root !== undefined || isTaken(first, scope))) return undefined;
  const { index, bindings } = scope;
  const named = index.operations.get(localName(first.name, index.service));
  if (named === undefined) return undefined;
  const { name, offset } = first;
  if (named.kind === "action") throw badRequest(`"${name}" is an action; expressions call functions`, offset);
  const { definition, param } = bindings.callOf(first, () => {
    const segment = { ...first, kind: "nameSegment" as const };
    const definition = functionOverload(named, segment, { offsets: {} });
    const resolve = (argument: CommonExpr) => resolveAlias(argument, scope);
    const context = { bindings, resolveAlias: resolve, options: { offsets: {} } };
    return { definition, args: planArguments(definition, segment, context).args };
  });
  const { returns } = definition;
  if (!returns || returns.isAssociation || returnedEntity(definition, index.service).entity) {
    throw notImplemented("A function that returns entities in an expression", offset);
  }
  const value: Expression = { ref: [param], param: true };
  const type = typeOf({ element: returns });
  if (type === undefined) {
    return itemMember({ kind: "item", element: returns, value, path: [] }, rest, { scope, planCondition });
  }
  const [next] = rest;
  if (next) throw badRequest(`Nothing can follow the value of "${name}"`, next.offset);
  return { value: { expr: { ...value, cast: { type: type.builtin } } as Expression, type, nullable: true } };
}

/** Whether the name is one of the row: a navigation property with a key, a variable, a function bound to the entity. */
function isTaken({ name }: MemberName, { entity, base, variables, index }: Scope): boolean {
  if (variables?.has(name)) return true;
  if (base && base.kind !== "row") return false;
  const owner = base?.entity ?? entity;
  return owner.elements[name] !== undefined || boundOperation(owner, name, index!.service) !== undefined;
}
