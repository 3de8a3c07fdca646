/**
 * Paths in expressions → references, counts and `exists` (OData 4.01 Part 2, sections 5.1.1.10, 5.1.1.13, 5.1.1.15).
 *
 * @module
 */

import { edmProperty } from "../../../model/edm_types.ts";
import { declaringType } from "../../../model/derived_types.ts";
import type { FlatElement, LinkedEntity } from "../../../model/linked.ts";
import {
  leavesAt,
  memberNames,
  type NestedStructure,
  nestedStructures,
} from "../../../model/nested_structures.ts";
import type { MemberExpr, MemberName, MemberStep } from "../../url/ast.ts";
import { CANONICAL_FUNCTIONS } from "../../url/words.ts";
import { addWhere, assertShallow, type Member, memberRef, type Walk, walkFrom } from "./member_walk.ts";
import { boundMember, calledMember } from "./plan_call.ts";
import { annotationValue, isRollupNode, keyStep, rollupWalk, rootWalk } from "./special_members.ts";
import { collectionMember } from "./plan_collection.ts";
import { badRequest, notImplemented, unknownName } from "../plan_error.ts";
import { collectionStep, itemMember } from "./plan_item.ts";
import { type NoPlace, type Place, resolveAlias, rowOf, type Scope, type Typed, typeOf } from "../scope.ts";
import {
  castEntity,
  castTwice,
  derivedCast,
  isOfType,
  namedEntityType,
  navigationNames,
  navigationOf,
  typeCondition,
} from "../service_index.ts";
import { stepName } from "../../../cqn/steps.ts";
import { caseOf, join } from "../../../algebra/build.ts";
import { unqualified } from "../../../util/unqualified.ts";

/**
 * Plans a path.
 *
 * @param expr the path
 * @param scope what its first name refers to
 * @returns value, condition, navigation, instance or collection of values
 * @throws {ServiceError} 400 for unknown names, 501 for what we do not run
 */
export function planMember(expr: MemberExpr, scope: Scope): Member {
  const called = calledMember(expr, scope);
  if (called) return called;
  if (isRollupNode(expr)) {
    const { walk, rest } = rollupWalk(expr, scope);
    return follow(walk, rest, expr.offset);
  }
  if (expr.root === "$root") {
    const { walk, rest } = rootWalk(expr, scope);
    return follow(walk, rest, expr.offset);
  }
  if (expr.root?.[0] === "@") {
    const value = resolveAlias(expr, scope);
    if (value.kind !== "memberExpr") throw badRequest("A path is expected", expr.offset);
    return planMember(value, scope);
  }
  if (expr.root === "$these") return { value: theseValue(expr, scope) };
  const { steps } = expr;
  const [first] = steps;
  if (expr.root === undefined && first?.kind === "memberName" && steps.length === 1) {
    const computed = first.parens.length === 0 ? scope.computed.get(first.name) : undefined;
    const outer = computed === undefined && first.parens.length === 0 && !scope.variables?.has(first.name)
      ? scope.outer?.(first.name, expr.offset)
      : undefined;
    if (computed && scope.member) assertShallow(computed.expr, scope.bindings, expr.offset);
    if (computed ?? outer) return { value: computed ?? outer! };
  }
  const joined = first?.kind === "memberName" && expr.root === undefined
    ? scope.joined?.get(first.name)
    : undefined;
  if (joined !== undefined) {
    const walk = walkFrom(rowOf(scope), scope);
    Object.assign(walk, {
      ref: [...joined.ref],
      entity: joined.target,
      element: joined.element,
      type: undefined,
    });
    return follow(walk, steps.slice(1), expr.offset);
  }
  const start = startOf(expr, scope);
  if (scope.closed && start.place.kind === "row" && start.place.row === scope.row) {
    return closedMember(start.steps, scope);
  }
  if (start.place.kind === "item") return itemMember(start.place, start.steps, scope);
  return follow(walkFrom(start.place, scope), start.steps, expr.offset);
}

/** `$these/aggregate(…)` and `$these/$count` (Data Aggregation 4.0, 3.2.1.6). */
function theseValue({ steps, offset }: MemberExpr, { these }: Scope): Typed {
  const [step, more] = steps;
  if (these === undefined) throw badRequest('"$these" belongs into $apply', offset);
  if (step?.kind === "countStep" && more === undefined) {
    return these({
      kind: "aggregateExpr",
      offset,
      expr: { kind: "memberExpr", offset, steps },
      alias: "value",
    });
  }
  if (step?.kind === "aggregateStep" && more === undefined) return these({ ...step.expr, alias: "value" });
  throw notImplemented("This path behind $these", offset);
}

/**
 * The collection that a path from `$root` leads to.
 *
 * @param expr the path
 * @param scope the scope of the expression
 * @throws {ServiceError} 400 for another path
 */
export function rootCollection(
  expr: MemberExpr,
  scope: Scope,
): Pick<Walk, "entity" | "ref"> {
  const { walk, rest } = rootWalk(expr, scope);
  const isOther = (step: MemberStep) => step.kind !== "memberName" || nameStep(walk, step, []) !== undefined;
  if (rest.some(isOther) || !walk.many) throw badRequest("A path to a collection is expected", expr.offset);
  return walk;
}

interface Start {
  readonly place: Exclude<Place, NoPlace>;
  readonly steps: readonly MemberStep[];
}

/** Where a path starts, and its steps from there. */
function startOf({ root, steps, offset }: MemberExpr, scope: Scope): Start {
  if (root === "$this") return { place: existing(scope.member ?? rowOf(scope), scope, offset), steps };
  const it = scope.it ?? rowOf(scope);
  if (root === "$it" && it.kind !== "none") return { place: it, steps };
  const [first] = steps;
  const base = root === "$it" ? it : scope.base ?? rowOf(scope);
  if (first?.kind === "memberName" && first.parens.length === 0) {
    const variable = scope.variables?.get(first.name);
    if (variable !== undefined) return { place: existing(variable, scope, offset), steps: steps.slice(1) };
    assertKnown(first, base, scope);
  }
  return { place: existing(base, scope, offset), steps };
}

function existing(place: Place, { variables }: Scope, offset: number): Exclude<Place, NoPlace> {
  if (place.kind !== "none") return place;
  if (!variables?.size) throw badRequest("There is no instance that this path could start at", offset);
  throw badRequest(`The path has to start with ${[...variables.keys()].join(" or ")}`, offset);
}

/** Inside of a lambda expression a wrong name may be a wrong variable. */
function assertKnown({ name, offset }: MemberName, base: Place, { variables }: Scope): void {
  if (variables === undefined || base.kind === "item" || name.includes(".")) return;
  if (base.kind === "none") {
    const known = variables.keys();
    throw unknownName({ name, offset, what: "property", owner: "$crossjoin", known });
  }
  const { entity } = base;
  if (edmProperty(entity, name) || nestedStructures(entity).has(name)) return;
  if (navigationOf(entity, name) || namedEntityType(name, entity)) return;
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
    if (result !== undefined) return guarded(walk, result, offset);
  }
  if (walk.guard) throw notImplemented("A navigation behind a type cast as a value", offset);
  if (walk.root && walk.many) throw badRequest("A collection is no value", offset);
  if (walk.root || walk.element === undefined) return { instance: walk };
  return { navigation: [walk.ref, walk.element], instance: walk };
}

/** What navigation behind a cast leads to is null, or false, for instances of other types. */
function guarded({ guard }: Walk, member: Member, offset: number): Member {
  if (!guard) return member;
  const { value, condition } = member;
  if (condition) return { condition: join("and", [guard, condition]) };
  if (!value) throw notImplemented("A collection behind a type cast in an expression", offset);
  return {
    value: { ...value, expr: caseOf([{ when: guard, then: value.expr }]), nullable: true },
  };
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
    if (node.parens.length === 0) assertNoCast(entity, rest[0]);
    castMembers(walk, node);
    keyStep(walk, node);
    return undefined;
  }
  if (walk.many) {
    if (walk.scope.flattened === undefined) {
      throw badRequest(`A collection has no property "${name}": any(x:x/${name} …) asks for one`, offset);
    }
    walk.scope.flattened.add(walk.ref.map(stepName).join("/"));
  }
  const navigation = navigationOf(entity, name);
  if (navigation !== undefined) {
    if (walk.given) throw notImplemented("A navigation behind this function", offset);
    if (walk.cast) walk.guard = typeCondition(walk.cast, memberRef(walk, walk.cast.discriminator));
    delete walk.cast;
    delete walk.type;
    walk.ref = [...walk.ref, name];
    walk.entity = navigation.target;
    walk.element = navigation.element;
    walk.many = navigation.element.is2many;
    keyStep(walk, node);
    return undefined;
  }
  const structure = nestedStructures(entity).get(name);
  if (structure) return structureMember(walk, structure, { node, rest });
  const flat = edmProperty(entity, name);
  if (flat === undefined || !isMember(walk, flat) || node.parens.length > 0) {
    return boundMember(walk, node, rest) ?? noProperty(walk, node, rest);
  }
  return propertyMember(walk, { flat, node, rest });
}

/** What follows a type cast is none. */
function assertNoCast(entity: LinkedEntity, next: MemberStep | undefined): void {
  if (next?.kind !== "memberName" || entity.$flat.has(next.name)) return;
  if (namedEntityType(next.name, entity) && !navigationOf(entity, next.name)) throw castTwice(next.offset);
}

/** A cast to a derived type: of collections it restricts the members, of others the values that are not null. */
function castMembers(walk: Walk, { name }: MemberName): void {
  const cast = derivedCast(name, walk.entity);
  if (!cast) return;
  walk.type = cast.name;
  if (walk.many) addWhere(walk, typeCondition(cast));
  else walk.cast = cast;
}

/** Whether a property is one of the type that the path has reached. */
function isMember({ entity, type }: Walk, flat: FlatElement): boolean {
  return isOfType(entity, type, flat.annotated);
}

/** A path into a structure that rows hold flat. */
function structureMember(
  walk: Walk,
  structure: NestedStructure,
  { node, rest }: { readonly node: MemberName; readonly rest: readonly MemberStep[] },
): Member {
  const names: string[] = [];
  let { leaves } = structure;
  let last = node;
  for (const step of rest) {
    const known = memberNames(leaves, names.length + 1);
    if (step.kind !== "memberName" || known.length === 0) break;
    if (!known.includes(step.name)) {
      throw unknownName({ name: step.name, offset: step.offset, what: "property", owner: last.name, known });
    }
    names.push(step.name);
    leaves = leavesAt(structure, names);
    last = step;
  }
  const behind = rest.slice(names.length);
  if (leaves.length === 1 && leaves[0]!.path.length === names.length + 1) {
    return propertyMember(walk, { flat: leaves[0]!, node: last, rest: behind });
  }
  const [next] = behind;
  if (next) throw badRequest("Nothing can follow a structure here", next.offset);
  return { flat: leaves.map((leaf) => ({ path: leaf.path.slice(names.length + 1), leaf, walk })) };
}

/** A type without namespace, a function, or a mistake. */
function noProperty(walk: Walk, node: MemberName, rest: readonly MemberStep[]): undefined {
  const { entity, scope } = walk;
  const { name, offset, parens } = node;
  if (parens.length === 0 && namedEntityType(name, entity) && rest.length > 0) {
    castEntity(entity, { name, offset });
    assertNoCast(entity, rest[0]);
    return castMembers(walk, node) as undefined;
  }
  if (isFunction(entity, name) || name.startsWith("Aggregation.")) {
    throw notImplemented(`"${name}" in an expression`, offset);
  }
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
  if (items) return collectionStep({ array: memberRef(walk, flat.name), items }, rest, walk.scope);
  if (next !== undefined) throw badRequest(`Nothing can follow the property "${name}"`, next.offset);
  const type = typeOf(flat);
  const nullable = !flat.notNull || walk.ref.length > 0 || walk.cast !== undefined;
  if (walk.cast && declaringType(flat.annotated) === undefined) {
    const when = typeCondition(walk.cast, memberRef(walk, walk.cast.discriminator));
    const expr = caseOf([{ when, then: memberRef(walk, flat.name) }]);
    return { value: { expr, nullable, type } };
  }
  return { value: { expr: memberRef(walk, flat.name), nullable, type } };
}

/** Whether the model declares a function, bound to the entity or not. */
function isFunction(entity: LinkedEntity, name: string): boolean {
  const local = unqualified(name);
  return [...entity.actions, ...entity.$service?.operations ?? []].some((operation) =>
    unqualified(operation.name) === local
  );
}

/**
 * All names that expressions may use of an entity.
 *
 * @param entity the entity
 * @returns flat properties and navigation properties
 */
export function* propertyNames(entity: LinkedEntity): Iterable<string> {
  yield* nestedStructures(entity).keys();
  for (const flat of entity.$flat.values()) {
    const isOwn = declaringType(flat.annotated) === undefined && edmProperty(entity, flat.name) === flat;
    if (isOwn) yield flat.name;
  }
  yield* navigationNames(entity);
}
