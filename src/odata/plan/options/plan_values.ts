/**
 * Query options on collections of values: the part of a collection that is asked for (OData 4.01 Part 2, section 5.1;
 * Protocol 11.2.5).
 *
 * @module
 */

import { allOf, call, compare, join, list, not, NULL, ONE, parameter } from "../../../algebra/build.ts";
import type { ColumnName, Expr, TreeOrder } from "../../../algebra/tree.ts";
import type { LinkedElement } from "../../../model/linked.ts";
import type { CommonExpr, QueryOptions } from "../../url/ast.ts";
import type { ValueCollection } from "../expressions/member_walk.ts";
import { memberShape } from "./member_shape.ts";
import type { MemberShape } from "../result_shape.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { planCondition, planValue } from "../expressions/plan_expression.ts";
import { alias, insideOf, type InsideScope, itemValue } from "../expressions/plan_item.ts";
import { planSearch } from "./row_conditions.ts";
import { isLiteral, type ItemPlace, type Scope, told, type Typed } from "../scope.ts";
import { assertSize, rowCountLiteral } from "./query_size.ts";
import { containsTerm } from "../../../model/search.ts";

/** The options of a collection of values, and the conditions of `/$filter(…)` in front of them. */
export interface ValueOptions {
  readonly options: QueryOptions;
  readonly filters?: readonly CommonExpr[];
  /** Whether the path of the URL leads to the collection: `$it` is its member then (URL 5.1.1.14.1). */
  readonly isAddressed?: boolean;
}

/** The members of a collection that options ask for, and what is selected of them. */
export interface PlannedMembers {
  /** The members as JSON array; undefined if the options leave the collection as it is. */
  readonly expr?: Expr;
  readonly shape: MemberShape;
}

/**
 * The members of a collection that options ask for.
 *
 * @param collection the collection
 * @param given the options
 * @param scope the scope of the row that holds the collection
 * @returns the members, and what is selected of them
 * @throws {ServiceError} 400 for options that values do not have
 */
export function planMembers(
  collection: ValueCollection,
  given: ValueOptions,
  scope: Scope,
): PlannedMembers {
  const { options } = given;
  assertRun(options);
  const { orderby = [], top, skip } = options;
  const inside = withComputed(options, membersOf(collection, given, scope));
  const condition = conditionOf(given, inside);
  const order = orderby.flatMap(({ expr, desc }): TreeOrder[] => {
    const value = planValue(expr, inside.scope);
    if (isLiteral(value)) return []; // a constant orders nothing
    return [{ ...value.expr, sort: desc ? "desc" : "asc", nulls: desc ? "last" : "first" }];
  });
  const { shown, shape } = shapeOf(collection.items, options, inside);
  const isWhole = !condition && order.length + shown.length === 0 && top === undefined && skip === undefined;
  if (isWhole) return { shape };
  const bounds = [bound("top", options, scope), bound("skip", options, scope)];
  const members = [
    collection.array,
    condition ?? compare(ONE, "=", ONE),
    alias(inside.name),
    list(order),
    list(bounds),
  ];
  return {
    expr: call("$filtered", shown.length > 0 ? [...members, list(shown)] : members),
    shape,
  };
}

function membersOf({ items }: ValueCollection, { isAddressed }: ValueOptions, scope: Scope): InsideScope {
  const inside = insideOf(items, scope);
  return isAddressed ? { ...inside, scope: { ...inside.scope, it: inside.place } } : inside;
}

/**
 * Names that `$compute` adds to those of the members.
 *
 * @param options the options
 * @param inside the scope of the members
 */
export function withComputed(options: QueryOptions, inside: InsideScope): InsideScope & OwnNames {
  const { scope } = inside;
  const computed = planCompute(options, scope);
  const own = new Map([...computed].filter(([name]) => !scope.computed.has(name)));
  return { ...inside, scope: { ...scope, computed }, own };
}

/** What `$compute` adds. */
export interface OwnNames {
  readonly own: ReadonlyMap<string, Typed>;
}

/** What is selected of members; values that are no structures have nothing computed beside them. */
function shapeOf(
  items: LinkedElement,
  options: QueryOptions,
  { own }: OwnNames,
): { readonly shown: readonly Expr[]; readonly shape: MemberShape } {
  const shape = memberShape(items, options, own);
  const shown = [...items.$type.elements && shape.computed?.keys() || []]
    .flatMap((name) => [alias(name), typedColumn(own.get(name)!, name)]);
  return { shown, shape };
}

/**
 * The number of members that fulfil the conditions.
 *
 * @param collection the collection
 * @param given the options
 * @param scope the scope of the row that holds the collection
 * @returns a number
 */
export function planMemberCount(collection: ValueCollection, given: ValueOptions, scope: Scope): Expr {
  const inside = withComputed(given.options, membersOf(collection, given, scope));
  const condition = conditionOf(given, inside);
  if (!condition) return call("$size", [collection.array]);
  return call("$count", [collection.array, condition, alias(inside.name)]);
}

/** Options that would make other members. */
function assertRun({ apply, offsets }: QueryOptions): void {
  if (apply) throw notImplemented("$apply in collections of values", offsets.apply);
}

function conditionOf(
  { options, filters = [] }: ValueOptions,
  { scope, place }: InsideScope,
): Expr | undefined {
  return allOf([
    ...filters.map((filter) => planCondition(filter, scope)),
    options.filter && planCondition(options.filter, scope),
    options.search && searched(planSearch(options.search), place),
  ]);
}

function bound(name: "top" | "skip", options: QueryOptions, { bindings }: Scope): Expr {
  const literal = rowCountLiteral(options, name);
  return literal === undefined ? NULL : parameter(bindings.bind(literal, undefined).name);
}

/**
 * The condition of `$search` on members: terms are found in texts, ignoring case, in the members themselves or in their
 * properties.
 *
 * @param search terms and operators
 * @param place the member
 * @throws {ServiceError} 400 for members without texts
 */
export function searched(search: Expr, place: ItemPlace): Expr {
  if (search.kind === "joined") return join(search.op, search.args.map((one) => searched(one, place)));
  if (search.kind === "unary") return not(searched(search.arg, place));
  const texts = textsOf(place);
  if (texts.length === 0) throw badRequest("$search needs texts");
  return join("or", texts.map((text) => containsTerm(text, search)));
}

function textsOf(place: ItemPlace): Expr[] {
  const { elements, items, builtin } = place.element.$type;
  if (items) return [];
  if (elements) {
    return [...elements].flatMap((element: LinkedElement) =>
      textsOf({ ...place, element, path: [...place.path, element.name] })
    );
  }
  return builtin === "cds.String" ? [itemValue(place).expr] : [];
}

/**
 * Plans `$compute`.
 *
 * @param options has the items
 * @param scope what their names refer to
 * @returns all computed values of the scope, the new ones among them
 * @throws {ServiceError} 400 for a name that is taken
 */
export function planCompute(options: QueryOptions, scope: Scope): ReadonlyMap<string, Typed> {
  const computed = new Map(scope.computed);
  for (const { expr, name, offset } of options.compute ?? []) {
    if (isTaken(name, computed.keys()) || isProperty(name, scope)) {
      throw badRequest(`The name "${name}" is taken`, offset);
    }
    const value = planValue(expr, { ...scope, computed });
    assertSize([value.expr], scope.bindings.limits.queryNodes, offset);
    computed.set(name, value);
  }
  return computed;
}

function isProperty(name: string, { base, entity }: Scope): boolean {
  if (base?.kind === "item") return Object.hasOwn(base.element.$type.elements ?? {}, name);
  return isTaken(name, entity.$flat.keys()) || Object.hasOwn(entity.elements, name);
}

/**
 * Whether a name would be that of two columns; databases look at them without regard to case.
 *
 * @param name the name
 * @param names the names that there are
 */
export function isTaken(name: string, names: Iterable<string>): boolean {
  return [...names].some((other) => other.toLowerCase() === name.toLowerCase());
}

/** Types whose values databases keep in another form than rows have them. */
const TOLD: ReadonlySet<string> = new Set([
  "cds.Boolean",
  "cds.Date",
  "cds.DateTime",
  "cds.Time",
  "cds.Timestamp",
]);

/** What tells its type itself, or is read as it is. */
const TELLS: ReadonlySet<Expr["kind"]> = new Set(["cast", "reference", "parameter", "variable"]);

/**
 * A value as column of a query, which tells its type where a row could not be read without.
 *
 * @param value the value
 * @param name of the column
 */
export function typedColumn({ expr, type }: Typed, name: string): Expr & ColumnName {
  const isTold = type !== undefined && TOLD.has(type.builtin) && !TELLS.has(expr.kind);
  return { ...(isTold ? told(expr, type.builtin) : expr), as: name };
}
