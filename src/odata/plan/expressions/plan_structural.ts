/**
 * Comparison of instances, structures and collections (OData 4.01 Part 2, sections 5.1.1.1.1 and 5.1.1.1.2).
 *
 * `hassubset` and `hassubsequence` of collections of values (OData 4.01 Part 2, sections 5.1.1.4.1 and 5.1.1.4.2).
 *
 * @module
 */

import {
  ALWAYS,
  call,
  compare,
  isNull as isNullTest,
  join,
  literal as valueOf,
  NEVER,
  not,
  NULL,
  numeral,
  reference,
} from "../../../algebra/build.ts";
import type { Expr } from "../../../algebra/tree.ts";
import type { LinkedElement } from "../../../model/linked.ts";
import type { BinaryExpr, BinaryOperator, CommonExpr, MethodCallExpr } from "../../url/ast.ts";
import { convertLiteral } from "./literal_values.ts";
import {
  existsAt,
  type FlatMember,
  type Member,
  memberRef,
  type ValueCollection,
  type Walk,
} from "./member_walk.ts";
import { planMember } from "./plan_member.ts";
import { badRequest, unknownName } from "../plan_error.ts";
import { alias, insideOf, itemValue, nestedJson } from "./plan_item.ts";
import { BOOLEAN, type ItemPlace, resolveAlias, type Scope, type Typed, typeOf } from "../scope.ts";
import { storedKeys } from "../../../model/keys.ts";

/**
 * Whether an expression is the literal of a structure or collection.
 *
 * @param expr any expression
 * @returns true for objects and arrays
 */
export function isStructured({ kind }: CommonExpr): boolean {
  return kind === "object" || kind === "array" || kind === "listExpr";
}

/**
 * Plans `eq` and `ne` of what is no primitive value.
 *
 * @param expr the comparison
 * @param scope what names refer to
 * @returns the condition, which is never unknown; undefined if both sides are primitive
 * @throws {ServiceError} 400 if the sides do not fit each other, or for other operators
 */
export function planStructural(expr: BinaryExpr, scope: Scope): Expr | undefined {
  const left = resolveAlias(expr.left, scope);
  const right = resolveAlias(expr.right, scope);
  const literal = isStructured(left) || isStructured(right);
  if (!literal && !(isPath(left) && (isPath(right) || isNull(right))) && !(isNull(left) && isPath(right))) {
    return undefined;
  }
  const one = operandOf(left, scope);
  const other = operandOf(right, scope);
  if (!literal && one.kind !== "structured" && other.kind !== "structured") return undefined;
  const { operator, offset } = expr;
  if (operator !== "eq" && operator !== "ne") throw badRequest("A primitive value is expected", offset);
  const [first, second] = one.kind === "structured" ? [one, other] : [other, one];
  const context = { scope, offset };
  if (first.kind !== "structured") {
    return isSameLiteral(left, right) === (operator === "eq") ? ALWAYS : NEVER;
  }
  const equal = equality(first.member, second, context);
  if (operator === "eq") return equal;
  const isOne = equal.kind === "comparison" && equal.op === "==";
  return isOne ? compare(equal.left, "!=", equal.right) : not(equal);
}

function isPath(expr: CommonExpr): boolean {
  return expr.kind === "memberExpr";
}

function isNull(expr: CommonExpr): boolean {
  return expr.kind === "primitiveLiteral" && expr.value === null;
}

type Operand =
  | { readonly kind: "structured"; readonly member: Member }
  | { readonly kind: "literal"; readonly expr: CommonExpr }
  | { readonly kind: "primitive" };

function operandOf(expr: CommonExpr, scope: Scope): Operand {
  if (isStructured(expr) || isNull(expr)) return { kind: "literal", expr };
  if (expr.kind !== "memberExpr") return { kind: "primitive" };
  const member = planMember(expr, scope);
  return member.instance || member.values || member.structure || member.flat
    ? { kind: "structured", member }
    : { kind: "primitive" };
}

/** Literals are the same if they are written alike. */
function isSameLiteral(left: CommonExpr, right: CommonExpr): boolean {
  const bare = (expr: CommonExpr) =>
    JSON.stringify(expr, (name, value) => {
      if (name === "offset" || name === "text") return undefined;
      return typeof value === "bigint" ? String(value) : value;
    });
  return bare(left) === bare(right);
}

interface Context {
  readonly scope: Scope;
  readonly offset: number;
}

function equality(member: Member, other: Operand, context: Context): Expr {
  if (other.kind === "primitive") {
    throw badRequest("The types of both sides do not fit each other", context.offset);
  }
  if (member.values) return sameCollection(member.values, other, context);
  if (member.structure) return sameStructure(member.structure, other, context);
  if (member.flat) return sameFlat(member.flat, other, context);
  return sameInstance(member.instance!, other, context); // it is one of the three
}

/** Instances are the same if their keys are; an instance that is not there is null. */
function sameInstance(walk: Walk, other: Operand, { offset }: Context): Expr {
  if (walk.many) throw badRequest("A collection of entities cannot be compared", offset);
  const keys = storedKeys(walk.entity);
  if (other.kind === "literal" && isNull(other.expr)) return missing(walk);
  const second = other.kind === "structured" ? other.member.instance : undefined;
  if (second === undefined || second.many || second.entity !== walk.entity) {
    throw badRequest("Instances of the same type are compared with each other only", offset);
  }
  return allSame(keys.map(({ name }) => [memberRef(walk, name), memberRef(second, name)]));
}

/** Where foreign keys are in the row, they tell; their target need not be read. */
function missing(walk: Walk): Expr {
  const keys = walk.root ? [] : walk.element?.$foreignKeys ?? [];
  if (!walk.root && walk.element === undefined) return NEVER;
  if (keys.length === 0) return not(existsAt(walk));
  return compare(reference([...walk.ref.slice(0, -1), keys[0].name]), "==", NULL);
}

/** A structure that rows hold flat: all of its elements are the same; null if all are null. */
function sameFlat(members: readonly FlatMember[], other: Operand, context: Context): Expr {
  const { path, leaf } = members[0];
  const owner = leaf.path.at(-1 - path.length)!; // where their paths begin
  const paths = members.map((member) => member.path);
  if (other.kind === "literal") assertMembers(other.expr, { owner, paths }, context);
  return allSame(members.map(({ path, leaf: { name, element }, walk }) => {
    return [memberRef(walk, name), otherValue(other, { path, element }, context)];
  }));
}

/** A literal has members of the structure only. */
function assertMembers(
  given: CommonExpr,
  { owner, paths }: { readonly owner: string; readonly paths: readonly (readonly string[])[] },
  { scope, offset }: Context,
): void {
  const expr = resolveAlias(given, scope);
  if (expr.kind !== "object") return;
  const known = [...new Set(paths.map(([first]) => first))];
  for (const { name, value } of expr.members) {
    if (name.startsWith("@")) continue;
    if (!known.includes(name)) {
      throw unknownName({ name, offset: expr.offset, what: "property", owner, known });
    }
    const inner = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
    assertMembers(value, { owner: name, paths: inner }, { scope, offset });
  }
}

/** Each value is the one beside it, null among them. */
function allSame(pairs: readonly (readonly [Expr, Expr])[]): Expr {
  return every(pairs.map(([one, other]) => compare(one, "==", other)));
}

/** What is so without conditions, is so always. */
function every(conditions: readonly Expr[]): Expr {
  return conditions.length === 0 ? ALWAYS : join("and", conditions);
}

interface FlatPlace {
  readonly path: readonly string[];
  readonly element: LinkedElement;
}

function otherValue(
  other: Operand,
  { path, element }: FlatPlace,
  { scope, offset }: Context,
): Expr {
  if (other.kind === "structured") {
    const same = other.member.flat?.find((member) => member.path.join("/") === path.join("/"));
    if (same) return memberRef(same.walk, same.leaf.name);
    throw badRequest("The types of both sides do not fit each other", offset);
  }
  let expr = resolveAlias((other as Extract<Operand, { kind: "literal" }>).expr, scope); // see equality()
  for (const step of path) {
    if (isNull(expr)) break;
    if (expr.kind !== "object") throw badRequest("A structure is expected", expr.offset);
    const found = expr.members.find(({ name }) => name === step);
    if (!found) return NULL;
    expr = resolveAlias(found.value, scope);
  }
  return scope.plan.value(expr, scope, typeOf({ element })).expr;
}

function sameStructure(place: ItemPlace, other: Operand, context: Context): Expr {
  const { offset } = context;
  if (other.kind === "literal") return equalsLiteral(place, other.expr, context);
  const second = other.kind === "structured" ? other.member.structure : undefined;
  if (second === undefined) throw badRequest("The types of both sides do not fit each other", offset);
  const paths = leavesOf(place.element);
  return allSame(paths.map((path) => [leaf(inside(place, path)), leaf(inside(second, path))]));
}

/** Paths to the elements of a structure that are none themselves. */
function leavesOf(element: LinkedElement): (readonly LinkedElement[])[] {
  const { elements, items } = element.$type;
  if (elements === undefined || items) return [[]];
  return [...elements].flatMap((one) => leavesOf(one).map((path) => [one, ...path]));
}

function leaf(place: ItemPlace): Expr {
  return place.element.$type.items ? nestedJson(place) : itemValue(place).expr;
}

function inside(place: ItemPlace, path: readonly LinkedElement[]): ItemPlace {
  const element = path.at(-1) ?? place.element;
  return { ...place, element, path: [...place.path, ...path.map(({ name }) => name)] };
}

/** A member that the literal does not have is null. */
function equalsLiteral(place: ItemPlace, given: CommonExpr, context: Context): Expr {
  const { scope, offset } = context;
  const expr = resolveAlias(given, scope);
  const { elements, items } = place.element.$type;
  if (items) return sameCollection({ array: nestedJson(place), items }, { kind: "literal", expr }, context);
  if (elements === undefined) {
    const member = itemValue(place);
    return compare(member.expr, "==", scope.plan.value(expr, scope, member.type).expr);
  }
  const members = new Map<string, CommonExpr>();
  if (expr.kind === "object") { for (const { name, value } of expr.members) members.set(name, value); }
  else if (!isNull(expr)) throw badRequest("A structure is expected", expr.offset);
  for (const name of members.keys()) {
    if (name.startsWith("@") || Object.hasOwn(elements, name)) continue;
    const known = [...elements].map((one) => one.name);
    throw unknownName({ name, offset: expr.offset, what: "property", owner: place.element.name, known });
  }
  const none: CommonExpr = { kind: "primitiveLiteral", offset, type: "null", value: null, text: "null" };
  return every([...elements].map((one) => {
    return equalsLiteral(inside(place, [one]), members.get(one.name) ?? none, context);
  }));
}

/** Collections are the same if they have the same members in the same order; null is an empty one. */
function sameCollection({ array, items }: ValueCollection, other: Operand, context: Context): Expr {
  const { offset } = context;
  if (other.kind === "structured") {
    const second = other.member.values;
    if (second === undefined) throw badRequest("The types of both sides do not fit each other", offset);
    return compare(orEmpty(array), "=", orEmpty(second.array));
  }
  const expr = (other as Extract<Operand, { kind: "literal" }>).expr; // primitive operands were refused
  const hasSize = (size: number) => compare(call("$size", [array]), "=", valueOf(size));
  if (isNull(expr)) return hasSize(0);
  if (expr.kind !== "array" && expr.kind !== "listExpr") {
    throw badRequest("A collection is expected", expr.offset);
  }
  const equal = expr.items.map((item, at) => {
    const place: ItemPlace = { kind: "item", element: items, value: array, path: [at] };
    return equalsLiteral(place, item, context);
  });
  return join("and", [hasSize(expr.items.length), ...equal]);
}

function orEmpty(array: Expr): Expr {
  return call("coalesce", [call("$nested", [array]), call("$nested", [alias("[]")])]);
}

/**
 * Plans a call of one of both functions.
 *
 * @param call the call
 * @param scope what names refer to
 * @returns true or false
 * @throws {ServiceError} 400 where the first argument is no collection of values, or the second one no literal one
 */
export function planSubset({ name, args }: MethodCallExpr, scope: Scope): Typed {
  const [first, second] = args.map((arg) => resolveAlias(arg, scope));
  const collection = first.kind === "memberExpr" ? planMember(first, scope).values : undefined;
  if (collection === undefined) throw badRequest("A collection of values is expected", first.offset);
  if (second.kind !== "array" && second.kind !== "listExpr") {
    throw badRequest("A collection in brackets is expected", second.offset);
  }
  const context = { collection, scope };
  const expr = name === "hassubset" ? subset(second.items, context) : subsequence(second.items, context);
  return { expr, type: BOOLEAN, nullable: false };
}

interface SubsetOperand {
  readonly collection: ValueCollection;
  readonly scope: Scope;
}

/** Each value is in the collection as often as in the other one at least. */
function subset(items: readonly CommonExpr[], { collection, scope }: SubsetOperand): Expr {
  const counts = new Map<string, { readonly item: CommonExpr; count: number }>();
  for (const item of items) {
    const key = item.kind === "primitiveLiteral" ? item.text : JSON.stringify(item);
    const known = counts.get(key);
    if (known) known.count++;
    else counts.set(key, { item, count: 1 });
  }
  const terms = [...counts.values()].map(({ item, count }): Expr => {
    const { name, place } = insideOf(collection.items, scope);
    const value = itemValue(place);
    // How often a value occurs is part of the plan, so the value is, too: it is no parameter of plans alike.
    const literal = item.kind === "primitiveLiteral"
      ? valueOf(convertLiteral(item, value.type))
      : scope.plan.value(item, scope, value.type).expr;
    const equal = compare(value.expr, "==", literal);
    return compare(call("$count", [collection.array, equal, alias(name)]), ">=", valueOf(count));
  });
  return every(terms);
}

/** The first member with the first value, the first one behind it with the next, and so on: there is the last. */
function subsequence(items: readonly CommonExpr[], { collection, scope }: SubsetOperand): Expr {
  const start = numeral(-1);
  const last = items.reduce<Expr>((before, item) => {
    const { name, place } = insideOf(collection.items, scope);
    const value = itemValue(place);
    const equal = compare(value.expr, "==", scope.plan.value(item, scope, value.type).expr);
    return call("$next", [collection.array, equal, alias(name), before]);
  }, start);
  return last === start ? ALWAYS : isNullTest(last, true);
}

const BEHIND: ReadonlySet<BinaryOperator> = new Set(["gt", "ge"]);

/**
 * Compares a value with a literal between two values: it is the smaller one or less, or behind it.
 *
 * @param operator a comparison
 * @param sides the value and the literal, in any order
 * @returns a condition that is unknown, or false, for null
 */
export function finerComparison(operator: BinaryOperator, [left, right]: readonly [Typed, Typed]): Expr {
  if (operator === "eq") return NEVER;
  if (operator === "ne") return ALWAYS;
  const [value, literal] = left.finer ? [right, left] : [left, right];
  const isBehind = BEHIND.has(operator) === (literal === right);
  return compare(value.expr, isBehind ? ">" : "<=", literal.expr);
}
