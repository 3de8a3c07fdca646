/**
 * Own functions in expressions (OData 4.01 Part 2, section 5.1.1): unbound ones, and those bound to the type of a row.
 * They are called before the query runs (`resources/read_calls.ts`), once where their arguments are the same for all rows,
 * otherwise for each row; the query has what they return as parameter.
 *
 * @module
 */

import type { Expression } from "../../../cqn/cqn.ts";
import type { LinkedOperation } from "../../../model/linked.ts";
import type { MemberExpr, MemberName, MemberStep } from "../../url/ast.ts";
import type { CallTemplate } from "../shapes/bindings.ts";
import type { Member, PlanParts, Walk } from "./member_walk.ts";
import { functionOverload } from "../paths/overloads.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { itemMember } from "./plan_item.ts";
import { planArguments } from "../paths/plan_operation.ts";
import { resolveAlias } from "./resolve_alias.ts";
import { keysOf, RowArguments } from "./row_arguments.ts";
import { type Scope, typeOf } from "../scope.ts";
import { boundOperation, localName, returnedEntity } from "../service_index.ts";

/**
 * Plans a path that starts with the call of an unbound function.
 *
 * @param expr the path
 * @param scope what names refer to
 * @param parts plans the expressions in it
 * @returns its value, or a part of it; undefined if the path starts with something else
 * @throws {ServiceError} 400 for wrong arguments and actions, 501 for functions that return entities
 */
export function calledMember(
  { root, steps }: MemberExpr,
  scope: Scope,
  parts: PlanParts,
): Member | undefined {
  const [first, ...rest] = steps;
  if (first?.kind !== "memberName" || first.parens.length === 0 || !scope.index) return undefined;
  if (root !== "$root" && (root !== undefined || isTaken(first, scope))) return undefined;
  const { index } = scope;
  const named = index.operations.get(localName(first.name, index.service));
  return named && callMember(named, { node: first, rest, scope, parts });
}

/**
 * Plans the call of a function that is bound to what a path has reached (Part 2, section 4.5).
 *
 * @param walk the path, which has reached one entity
 * @param node the name of the function
 * @param rest what follows
 * @returns its value, or a part of it; undefined if there is no such function
 * @throws {ServiceError} 400 for wrong arguments and actions, 501 for functions that return entities
 */
export function boundMember(walk: Walk, node: MemberName, rest: readonly MemberStep[]): Member | undefined {
  const { scope, parts, entity } = walk;
  if (walk.many || walk.root || !scope.index || node.parens.length === 0) return undefined;
  const named = boundOperation(entity, node.name, scope.index.service);
  if (!named || named.$collectionBound) return undefined;
  return callMember(named, { node, rest, scope, parts, walk });
}

/** The place of a call. */
interface CallPlace {
  readonly node: MemberName;
  readonly rest: readonly MemberStep[];
  readonly scope: Scope;
  readonly parts: PlanParts;
  /** The path to what the function is bound to. */
  readonly walk?: Walk;
}

function callMember(named: LinkedOperation, place: CallPlace): Member {
  const { node, rest, scope, parts } = place;
  const { name, offset } = node;
  if (named.kind === "action") throw badRequest(`"${name}" is an action; expressions call functions`, offset);
  const { definition, param, rows } = plannedCall(named, place);
  const { returns } = definition;
  if (!returns || returns.isAssociation || returnedEntity(definition, scope.index!.service).entity) {
    throw notImplemented("A function that returns entities in an expression", offset);
  }
  const value: Expression = { ref: [param], param: true };
  const type = typeOf({ element: returns });
  const [next] = rest;
  if (type && next) throw badRequest(`Nothing can follow the value of "${name}"`, next.offset);
  if (rows) {
    const entry = { func: "$nested", args: [value, ...rows.entry()] };
    return itemMember({ kind: "item", element: returns, value: entry, path: ["v"] }, rest, { scope, parts });
  }
  if (type === undefined) {
    return itemMember({ kind: "item", element: returns, value, path: [] }, rest, { scope, parts });
  }
  return { value: { expr: { ...value, cast: { type: type.builtin } } as Expression, type, nullable: true } };
}

function plannedCall(named: LinkedOperation, { node, scope, parts, walk }: CallPlace): CallTemplate {
  const { bindings } = scope;
  return bindings.callOf(node, scope.row, () => {
    const segment = { ...node, kind: "nameSegment" as const };
    const definition = functionOverload(named, segment, { offsets: {} });
    const rows = new RowArguments(scope, parts, walk && { entity: walk.entity, keys: keysOf(walk) });
    const { args } = planArguments(definition, segment, {
      bindings,
      resolveAlias: (argument) => resolveAlias(argument, scope),
      options: { offsets: {} },
      rows,
    });
    return { definition, args, ...(rows.isEmpty ? {} : { rows: rows.checked(node.offset) }) };
  });
}

/** Whether the name is one of the row: a navigation property with a key, a variable, a function bound to the entity. */
function isTaken({ name }: MemberName, { entity, base, variables, index }: Scope): boolean {
  if (variables?.has(name)) return true;
  if (base && base.kind !== "row") return false;
  const owner = base?.entity ?? entity;
  return owner.elements[name] !== undefined || boundOperation(owner, name, index!.service) !== undefined;
}
