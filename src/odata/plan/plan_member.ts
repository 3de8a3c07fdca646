/**
 * Paths in expressions → references, counts and `exists` (OData 4.01 Part 2, sections 5.1.1.10, 5.1.1.13, 5.1.1.15).
 *
 * @module
 */

import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import type { MemberExpr, MemberName, MemberStep } from "../url/ast.ts";
import { CANONICAL_FUNCTIONS } from "../url/canonical_functions.ts";
import { type Member, memberRef, type PlanCondition, type Walk, walkFrom } from "./member_walk.ts";
import { annotationValue } from "./plan_annotation.ts";
import { collectionMember } from "./plan_collection.ts";
import { badRequest, notImplemented, unknownName } from "./plan_error.ts";
import { collectionStep, itemMember } from "./plan_item.ts";
import { keyStep, rootWalk } from "./plan_root.ts";
import { resolveAlias } from "./resolve_alias.ts";
import { type Place, rowOf, type Scope, typeOf } from "./scope.ts";
import { navigationNames, navigationOf } from "./service_index.ts";
import { castEntity, namedEntityType } from "./type_names.ts";

/**
 * Plans a path.
 *
 * @param expr the path
 * @param scope what its first name refers to
 * @param planCondition plans the conditions in it
 * @returns value, condition, navigation, instance or collection of values
 * @throws {ServiceError} 400 for unknown names, 501 for what we do not run
 */
export function planMember(expr: MemberExpr, scope: Scope, planCondition: PlanCondition): Member {
  if (expr.root === "$root") {
    const { walk, rest } = rootWalk(expr, scope, planCondition);
    return follow(walk, rest, expr.offset);
  }
  if (expr.root?.[0] === "@") {
    const value = resolveAlias(expr, scope);
    if (value.kind !== "memberExpr") throw badRequest("A path is expected", expr.offset);
    return planMember(value, scope, planCondition);
  }
  if (expr.root === "$these") throw badRequest('"$these" belongs into $apply', expr.offset);
  const { steps } = expr;
  const [first] = steps;
  if (expr.root === undefined && first?.kind === "memberName" && steps.length === 1) {
    const computed = first.parens.length === 0 ? scope.computed.get(first.name) : undefined;
    if (computed !== undefined) return { value: computed };
  }
  const start = startOf(expr, scope);
  if (scope.closed && start.place.kind === "row" && start.place.row === scope.row) {
    return closedMember(start.steps, scope);
  }
  if (start.place.kind === "item") return itemMember(start.place, start.steps, { scope, planCondition });
  return follow(walkFrom(start.place, scope, planCondition), start.steps, expr.offset);
}

interface Start {
  readonly place: Place;
  readonly steps: readonly MemberStep[];
}

/** Where a path starts, and its steps from there. */
function startOf({ root, steps }: MemberExpr, scope: Scope): Start {
  if (root === "$it") return { place: scope.it ?? rowOf(scope), steps };
  if (root === "$this") return { place: scope.member ?? rowOf(scope), steps };
  const [first] = steps;
  const base = scope.base ?? rowOf(scope);
  if (first?.kind !== "memberName" || first.parens.length > 0) return { place: base, steps };
  const variable = scope.variables?.get(first.name);
  if (variable !== undefined) return { place: variable, steps: steps.slice(1) };
  assertKnown(first, base, scope);
  return { place: base, steps };
}

/** Inside of a lambda expression a wrong name may be a wrong variable. */
function assertKnown({ name, offset }: MemberName, base: Place, { variables }: Scope): void {
  if (variables === undefined || base.kind !== "row" || name.includes(".")) return;
  const { entity } = base;
  if (entity.$flat.has(name) || navigationOf(entity, name) || namedEntityType(name, entity)) return;
  const known = [...variables.keys(), ...propertyNames(entity)];
  throw unknownName({ name, offset, what: "property", owner: entity.name, known });
}

/** After `$apply` a path is one of the properties that it made. */
function closedMember(steps: readonly MemberStep[], scope: Scope): Member {
  const name = steps.map((step) => step.kind === "memberName" ? step.name : step.kind).join("/");
  const value = scope.computed.get(name);
  if (value !== undefined) return { value };
  const offset = steps[0]?.offset ?? 0;
  throw unknownName({ name, offset, what: "property", owner: "$apply", known: scope.computed.keys() });
}

function follow(walk: Walk, steps: readonly MemberStep[], offset: number): Member {
  for (const [at, step] of steps.entries()) {
    const result = stepMember(walk, step, steps.slice(at + 1));
    if (result !== undefined) return result;
  }
  if (walk.root && walk.many) throw badRequest("A collection is no value", offset);
  if (walk.root || walk.element === undefined) return { instance: walk };
  return { navigation: [walk.ref, walk.element], instance: walk };
}

function stepMember(walk: Walk, node: MemberStep, rest: readonly MemberStep[]): Member | undefined {
  switch (node.kind) {
    case "memberName":
      return nameStep(walk, node, rest);
    case "countStep":
    case "anyExpr":
    case "allExpr": {
      const member = collectionMember(walk, node);
      if (rest.length > 0) throw badRequest("Nothing can follow this", rest[0].offset);
      return member;
    }
    case "filterStep":
      return collectionMember(walk, node);
    case "annotationExpr":
      return annotationValue(walk.element ?? walk.entity, node, rest);
    case "aggregateStep":
      throw notImplemented('"aggregate" in an expression', node.offset);
  }
}

function nameStep(walk: Walk, node: MemberName, rest: readonly MemberStep[]): Member | undefined {
  const { entity } = walk;
  const { name, offset } = node;
  if (name.includes(".") && namedEntityType(name, entity)) {
    castEntity(entity, { name, offset });
    keyStep(walk, node);
    return undefined;
  }
  if (walk.many) throw badRequest(`A collection has no property "${name}"`, offset);
  const navigation = navigationOf(entity, name);
  if (navigation !== undefined) {
    walk.ref = [...walk.ref, name];
    walk.entity = navigation.target;
    walk.element = navigation.element;
    walk.many = navigation.element.is2many;
    keyStep(walk, node);
    return undefined;
  }
  const flat = entity.$flat.get(name);
  if (flat === undefined || node.parens.length > 0) return noProperty(walk, node, rest);
  return propertyMember(walk, { flat, node, rest });
}

/** A type without namespace, a function, or a mistake. */
function noProperty({ entity, scope }: Walk, node: MemberName, rest: readonly MemberStep[]): undefined {
  const { name, offset, parens } = node;
  if (parens.length === 0 && namedEntityType(name, entity) && rest.length > 0) {
    return void castEntity(entity, { name, offset });
  }
  if (isFunction(entity, name)) throw notImplemented(`"${name}" in an expression`, offset);
  if (parens.length > 0) {
    const owner = entity.$service?.name ?? "The service";
    throw unknownName({ name, offset, what: "function", owner, known: CANONICAL_FUNCTIONS.keys() });
  }
  if (name.includes(".")) castEntity(entity, { name, offset });
  const known = [...propertyNames(entity), ...scope.computed.keys()];
  throw unknownName({ name, offset, what: "property", owner: entity.name, known });
}

interface AtProperty {
  readonly flat: FlatElement;
  readonly node: MemberName;
  readonly rest: readonly MemberStep[];
}

function propertyMember(walk: Walk, { flat, node, rest }: AtProperty): Member {
  const { name, offset } = node;
  const [next] = rest;
  if (next?.kind === "annotationExpr") return annotationValue(flat.annotated, next, rest.slice(1))!;
  const { items } = flat.element.$type;
  if (flat.virtual) throw badRequest(`The property "${name}" is not stored and cannot be used here`, offset);
  if (items) return collectionStep({ array: memberRef(walk, name), items }, rest, walk);
  if (next !== undefined) throw badRequest(`Nothing can follow the property "${name}"`, next.offset);
  const type = typeOf(flat);
  const nullable = !flat.notNull || walk.ref.length > 0;
  return { value: { expr: memberRef(walk, name), nullable, ...(type === undefined ? {} : { type }) } };
}

/** Whether the model declares a function, bound to the entity or not. */
function isFunction(entity: LinkedEntity, name: string): boolean {
  const local = name.slice(name.lastIndexOf(".") + 1);
  return [...entity.actions, ...entity.$service?.operations ?? []].some((operation) =>
    operation.name.slice(operation.name.lastIndexOf(".") + 1) === local
  );
}

/**
 * All names that expressions may use of an entity.
 *
 * @param entity the entity
 * @returns flat properties and navigation properties
 */
export function* propertyNames(entity: LinkedEntity): Iterable<string> {
  yield* entity.$flat.keys();
  yield* navigationNames(entity);
}
