/**
 * Paths in expressions → references, counts and `exists` (OData 4.01 Part 2, sections 5.1.1.10, 5.1.1.13, 5.1.1.15).
 *
 * @module
 */

import type { RefStep, Xo } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import type { CommonExpr, CountStep, LambdaExpr, MemberExpr, MemberName, MemberStep } from "../url/ast.ts";
import { CANONICAL_FUNCTIONS } from "../url/canonical_functions.ts";
import { badRequest, notImplemented, unknownName } from "./plan_error.ts";
import { navigationNames, navigationOf } from "./service_index.ts";
import { INTEGER, type Scope, type Typed, typeOf } from "./scope.ts";

/** What a path is: a value, a condition (lambda), or a navigation property. */
export interface Member {
  readonly value?: Typed;
  readonly condition?: readonly Xo[];
  readonly navigation?: readonly [readonly RefStep[], LinkedElement];
}

/** Plans a condition; handed in, because conditions contain paths and paths contain conditions. */
export type PlanCondition = (expr: CommonExpr, scope: Scope, exact?: boolean) => Xo[];

/**
 * Plans a path.
 *
 * @param expr the path
 * @param scope what its first name refers to
 * @param planCondition plans the conditions in it
 * @returns value, condition or navigation
 * @throws {ServiceError} 400 for unknown names, 501 for what we do not run
 */
export function planMember(expr: MemberExpr, scope: Scope, planCondition: PlanCondition): Member {
  const steps = stepsInScope(expr, scope);
  const [first] = steps;
  if (first?.kind === "memberName" && steps.length === 1 && first.parens.length === 0) {
    const computed = scope.computed.get(first.name);
    if (computed !== undefined) return { value: computed };
  }
  if (scope.closed) return closedMember(steps, scope);
  if (scope.item !== undefined) {
    if (steps.length > 0) throw badRequest("Nothing can follow a value", steps[0].offset);
    return { value: scope.item };
  }
  const walk: Walk = { scope, planCondition, entity: scope.entity, ref: [], many: false };
  for (let i = 0; i < steps.length; i++) {
    const result = step(walk, steps[i], steps.slice(i + 1));
    if (result !== undefined) return result;
  }
  if (walk.element === undefined) throw notImplemented("The instance itself as a value", expr.offset);
  return { navigation: [walk.ref, walk.element] };
}

/** Steps of the path as seen from the entity of the scope. */
function stepsInScope(expr: MemberExpr, scope: Scope): readonly MemberStep[] {
  const { root, steps, offset } = expr;
  if (root === undefined) {
    const [first] = steps;
    if (scope.variable === undefined) return steps;
    if (first.kind === "memberName") {
      if (first.name === scope.variable) return steps.slice(1);
      assertOuterName(first, scope);
    }
    throw notImplemented("A reference to the outer instance inside any or all", offset);
  }
  if (root === "$this" || (root === "$it" && !scope.nested && scope.variable === undefined)) return steps;
  throw notImplemented(root[0] === "@" ? "A path behind a parameter alias" : `"${root}" here`, offset);
}

/** A name that is neither the variable nor one of the outer entity is a mistake. */
function assertOuterName({ name, offset }: MemberName, { outer, variable }: Scope): void {
  if (outer === undefined || outer.$flat.has(name) || navigationOf(outer, name) !== undefined) return;
  const known = [...(variable === undefined ? [] : [variable]), ...propertyNames(outer)];
  throw unknownName({ name, offset, what: "property", owner: outer.name, known });
}

/** After `$apply` a path is one of the properties that it made. */
function closedMember(steps: readonly MemberStep[], scope: Scope): Member {
  const name = steps.map((step) => step.kind === "memberName" ? step.name : step.kind).join("/");
  const value = scope.computed.get(name);
  if (value !== undefined) return { value };
  const offset = steps[0]?.offset ?? 0;
  throw unknownName({ name, offset, what: "property", owner: "$apply", known: scope.computed.keys() });
}

interface Walk {
  readonly scope: Scope;
  readonly planCondition: PlanCondition;
  entity: LinkedEntity;
  ref: RefStep[];
  /** The path has passed a collection. */
  many: boolean;
  /** The collection of values that the path has reached: the type of its members. */
  items?: LinkedElement;
  element?: LinkedElement;
}

function step(walk: Walk, node: MemberStep, rest: readonly MemberStep[]): Member | undefined {
  switch (node.kind) {
    case "memberName":
      return nameStep(walk, node, rest);
    case "countStep":
      return { value: countValue(walk, node) };
    case "anyExpr":
    case "allExpr":
      return { condition: lambdaCondition(walk, node) };
    case "filterStep": {
      if (node.key !== undefined) throw notImplemented("A key in an expression", node.key.offset);
      assertCollection(walk, node.offset);
      const where = walk.planCondition(node.filter, inner(walk));
      addWhere(walk, where);
      return undefined;
    }
    case "annotationExpr":
      throw notImplemented("An annotation in an expression", node.offset);
    case "aggregateStep":
      throw notImplemented('"aggregate" in an expression', node.offset);
  }
}

function nameStep(walk: Walk, node: MemberName, rest: readonly MemberStep[]): Member | undefined {
  const { entity } = walk;
  const { name, offset } = node;
  if (walk.many || walk.items) throw badRequest(`A collection has no property "${name}"`, offset);
  const navigation = navigationOf(entity, name);
  if (navigation !== undefined) {
    if (node.parens.length > 0) throw notImplemented("A key in an expression", offset);
    walk.ref = [...walk.ref, name];
    walk.entity = navigation.target;
    walk.element = navigation.element;
    walk.many = navigation.element.is2many;
    return undefined;
  }
  const flat = entity.$flat.get(name);
  if (flat === undefined) {
    if (node.parens.length > 0 && !isFunction(entity, name)) throw unknownFunction(node, entity);
    if (name.includes(".") || node.parens.length > 0) {
      throw notImplemented(`"${name}" in an expression`, offset);
    }
    throw unknown(walk, node);
  }
  if (rest.length > 0) {
    const { items } = flat.element.$type;
    if (items) {
      if (!items.$type.builtin) throw notImplemented("A path into a collection of structures", offset);
      walk.ref = [...walk.ref, name];
      walk.items = items;
      return undefined;
    }
    throw badRequest(`Nothing can follow the property "${name}"`, rest[0].offset);
  }
  if (flat.element.$type.items) throw notImplemented("A collection as a value", offset);
  if (flat.virtual) throw badRequest(`The property "${name}" is not stored and cannot be used here`, offset);
  const type = typeOf(flat);
  const nullable = !flat.notNull || walk.ref.length > 0;
  return { value: { expr: { ref: [...walk.ref, name] }, nullable, ...(type === undefined ? {} : { type }) } };
}

/** Whether the model declares a function, bound to the entity or not. */
function isFunction(entity: LinkedEntity, name: string): boolean {
  const local = name.slice(name.lastIndexOf(".") + 1);
  return [...entity.actions, ...entity.$service?.operations ?? []].some((operation) =>
    operation.name.slice(operation.name.lastIndexOf(".") + 1) === local
  );
}

function unknownFunction({ name, offset }: MemberName, { $service }: LinkedEntity): Error {
  const owner = $service?.name ?? "The service";
  return unknownName({ name, offset, what: "function", owner, known: CANONICAL_FUNCTIONS.keys() });
}

function unknown(walk: Walk, { name, offset }: MemberName): Error {
  const { entity, scope } = walk;
  const known = [...propertyNames(entity), ...scope.computed.keys()];
  return unknownName({ name, offset, what: "property", owner: entity.name, known });
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

function assertCollection(walk: Walk, offset: number): LinkedElement {
  if (!walk.many || walk.element === undefined) {
    throw badRequest("A collection is expected before this", offset);
  }
  return walk.element;
}

/** The scope of a condition on the members of the collection that the path has reached. */
function inner(walk: Walk, variable?: string): Scope {
  const { bindings, aliases } = walk.scope;
  return {
    entity: walk.entity,
    bindings,
    aliases,
    computed: new Map(),
    nested: true,
    ...(variable === undefined ? {} : { variable, outer: walk.scope.outer ?? walk.scope.entity }),
  };
}

/** Adds a condition to the last step. */
function addWhere(walk: Walk, where: readonly Xo[]): void {
  if (where.length === 0) return;
  const last = walk.ref.at(-1)!;
  const step = typeof last === "string" ? { id: last } : last;
  const conjunction: Xo[] = step.where === undefined
    ? [...where]
    : [{ xpr: step.where }, "and", { xpr: where }];
  walk.ref = [...walk.ref.slice(0, -1), { ...step, where: conjunction }];
}

function countValue(walk: Walk, node: CountStep): Typed {
  if (walk.items && node.options === undefined) {
    return { expr: { func: "$size", args: [{ ref: walk.ref }] }, type: INTEGER, nullable: false };
  }
  assertCollection(walk, node.offset);
  if (node.options?.filter !== undefined) {
    addWhere(walk, walk.planCondition(node.options.filter, inner(walk)));
  }
  if (node.options?.search !== undefined) {
    throw notImplemented("$search in $count of an expression", node.offset);
  }
  return { expr: { func: "count", args: [{ ref: walk.ref }] }, type: INTEGER, nullable: false };
}

/**
 * `any` and `all` over a collection of values: the function `$any` of the collection and a condition on `$item`.
 * All members fulfil a condition when none of them does not.
 */
function lambdaOverValues(walk: Walk, node: LambdaExpr, items: LinkedElement): Xo[] {
  const array = { ref: walk.ref };
  if (node.predicate === undefined) return [{ func: "$size", args: [array] }, ">", { val: 0 }];
  const all = node.kind === "allExpr";
  const item: Typed = {
    expr: { ref: ["$item", "value"] },
    nullable: true,
    type: { builtin: items.$type.builtin!, element: items }, // nameStep has checked it
  };
  const condition = walk.planCondition(node.predicate, { ...inner(walk, node.variable), item }, all);
  const any = (xpr: readonly Xo[]) => ({ func: "$any", args: [array, { xpr }] });
  return all ? ["not", any(["not", { xpr: condition }])] : [any(condition)];
}

function lambdaCondition(walk: Walk, node: LambdaExpr): Xo[] {
  if (walk.items) return lambdaOverValues(walk, node, walk.items);
  assertCollection(walk, node.offset);
  if (node.predicate === undefined) return ["exists", { ref: walk.ref }];
  const all = node.kind === "allExpr";
  const condition = walk.planCondition(node.predicate, inner(walk, node.variable), all);
  addWhere(walk, all ? ["not", { xpr: condition }] : condition);
  return [...(all ? ["not"] : []), "exists", { ref: walk.ref }];
}
