/**
 * Collections of values in expressions: their members are parts of a JSON array (OData 4.01 Part 2, 5.1.1.13).
 *
 * @module
 */

import {
  call,
  cast,
  compare,
  list,
  literal,
  not,
  notTrue,
  NULL,
  numeral,
  reference,
} from "../../../algebra/build.ts";
import type { Expr, Literal } from "../../../algebra/tree.ts";
import type { LinkedElement } from "../../../model/linked.ts";
import type { CountStep, FilterStep, LambdaExpr, MemberStep } from "../../url/ast.ts";
import type { Member, ValueCollection } from "./member_walk.ts";
import { badRequest, unknownName } from "../plan_error.ts";
import { groupOf, INTEGER, type ItemPlace, rowOf, type Scope, type Typed, typeOf } from "../scope.ts";
import { structureMember, structureMembers } from "../../../model/keys.ts";

/**
 * Plans a path that starts at a member of a collection of values.
 *
 * @param start the member
 * @param steps the path behind it
 * @param scope what names refer to
 * @returns its value, a condition on an inner collection, or that collection
 * @throws {ServiceError} 400 for unknown names
 */
export function itemMember(start: ItemPlace, steps: readonly MemberStep[], scope: Scope): Member {
  let place = start;
  for (const [at, step] of steps.entries()) {
    const { elements, items } = place.element.$type;
    if (items) return collectionStep(collectionOf(place, items), steps.slice(at), scope);
    if (elements === undefined) throw badRequest("Nothing can follow a value", step.offset);
    if (step.kind !== "memberName" || step.parens.length > 0) {
      throw badRequest("The name of a property is expected", step.offset);
    }
    const { name, offset } = step;
    const element = structureMember(elements, name);
    if (element === undefined) {
      const known = structureMembers(elements);
      throw unknownName({ name, offset, what: "property", owner: place.element.name, known });
    }
    place = { ...place, element, path: [...place.path, name] };
  }
  const { items } = place.element.$type;
  if (items) return { values: collectionOf(place, items) };
  return place.element.$type.elements ? { structure: place } : { value: itemValue(place) };
}

function collectionOf(place: ItemPlace, items: LinkedElement): ValueCollection {
  return { array: nestedJson(place), items };
}

/**
 * The JSON value of a part that is a structure or collection.
 *
 * @param place the part
 * @returns the value
 */
export function nestedJson(place: ItemPlace): Expr {
  return call("$nested", partsOf(place));
}

function partsOf({ value, path }: ItemPlace): Expr[] {
  return [value, ...path.map((step) => typeof step === "number" ? numeral(step) : alias(step))];
}

/**
 * The value of a member that is no structure.
 *
 * @param place the member
 * @returns its value, which may be null
 */
export function itemValue(place: ItemPlace): Typed {
  const type = typeOf(place);
  if (type === undefined) throw badRequest("A primitive value is expected");
  const value = cast(call("$member", partsOf(place)), { type: type.builtin });
  // texts in JSON do not have the collation of columns
  const expr = groupOf(type) === "text" ? call("$by_code_points", [value]) : value;
  return { expr, type, nullable: true };
}

/**
 * Plans what follows a collection of values: `/$count`, `/any(…)`, `/all(…)`, `/$filter(…)`.
 *
 * @param collection the collection
 * @param steps what follows, one at least
 * @param scope what names refer to
 * @returns a number, a condition or a collection
 */
export function collectionStep(
  collection: ValueCollection,
  steps: readonly MemberStep[],
  scope: Scope,
): Member {
  const [step, ...rest] = steps;
  if (step === undefined) return { values: collection };
  const last = rest.at(-1);
  switch (step.kind) {
    case "countStep":
      if (last !== undefined) throw badRequest("Nothing can follow /$count", last.offset);
      return { value: countValue(collection, step, scope) };
    case "anyExpr":
    case "allExpr":
      if (last !== undefined) throw badRequest("Nothing can follow any or all", last.offset);
      return { condition: lambda(collection, step, scope) };
    case "memberName":
      throw badRequest(
        `A collection has no property "${step.name}": any(x:x/${step.name} …) asks for one`,
        step.offset,
      );
    case "filterStep":
      if (step.key) throw badRequest("Values have no key", step.key.offset);
      return collectionStep(filtered(collection, step, scope), rest, scope);
    default:
      throw badRequest("Nothing of this kind can follow a collection of values", step.offset);
  }
}

function filtered(
  { array, items }: ValueCollection,
  { filter }: FilterStep,
  scope: Scope,
): ValueCollection {
  const { name, scope: inside } = insideOf(items, scope);
  const condition = scope.plan.condition(filter, inside);
  const all = list([NULL, NULL]);
  return { array: call("$filtered", [array, condition, alias(name), list([]), all]), items };
}

function countValue(
  { array, items }: ValueCollection,
  { options, offset }: CountStep,
  scope: Scope,
): Typed {
  if (options?.search !== undefined) throw badRequest("$search needs a collection of entities", offset);
  if (options?.filter === undefined) {
    return { expr: call("$size", [array]), type: INTEGER, nullable: false };
  }
  const { name, scope: inside } = insideOf(items, scope);
  const condition = scope.plan.condition(options.filter, inside);
  return { expr: call("$count", [array, condition, alias(name)]), type: INTEGER, nullable: false };
}

/** All members fulfil a condition when there is none for which it is false or null (URL 5.1.1.13.2). */
function lambda({ array, items }: ValueCollection, node: LambdaExpr, scope: Scope): Expr {
  if (node.predicate === undefined) return compare(call("$size", [array]), ">", literal(0));
  const all = node.kind === "allExpr";
  const { name, scope: inside } = insideOf(items, scope, node.variable);
  const condition = scope.plan.condition(node.predicate, inside);
  const any = (one: Expr) => call("$any", [array, one, alias(name)]);
  return all ? not(any(notTrue(condition))) : any(condition);
}

/**
 * The name of members as an argument of functions.
 *
 * @param name the name
 * @returns a literal
 */
export function alias(name: string): Literal {
  return literal(name, "name");
}

/**
 * The condition that a collection has a member of a kind.
 *
 * @param collection the collection
 * @param scope the scope around
 * @param condition the condition on a member
 * @returns `$any(…)`
 */
export function hasMember(
  { array, items }: ValueCollection,
  scope: Scope,
  condition: (member: ItemPlace) => Expr,
): Expr {
  const { name, place } = insideOf(items, scope);
  return call("$any", [array, condition(place), alias(name)]);
}

/** The scope of a condition on a member. */
export interface InsideScope {
  readonly name: string;
  readonly place: ItemPlace;
  readonly scope: Scope;
}

/**
 * The scope of conditions on the members of a collection; below a variable names start outside of it.
 *
 * @param element the type of the members
 * @param scope the scope around
 * @param variable the lambda variable
 * @returns the scope, and the name of the member in the query
 */
export function insideOf(element: LinkedElement, scope: Scope, variable?: string): InsideScope {
  const name = scope.bindings.itemName();
  const place: ItemPlace = { kind: "item", element, value: reference([name, "value"]), path: [] };
  const variables = variable === undefined ? scope.variables : new Map(scope.variables).set(variable, place);
  const base = variable === undefined ? place : scope.base ?? rowOf(scope);
  return { name, place, scope: { ...scope, base, member: place, ...(variables && { variables }) } };
}
