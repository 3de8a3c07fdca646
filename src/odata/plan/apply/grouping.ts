/**
 * Grouping properties, `rollup`, and groups with aggregates (Data Aggregation 4.0, 3.2.3).
 *
 * @module
 */

import { call, caseOf, numeral, reference, select } from "../../../algebra/build.ts";
import type { ColumnName, Expr, TreeSelect } from "../../../algebra/tree.ts";
import type { LinkedElement } from "../../../model/linked.ts";
import type { GroupbyElement, MemberExpr } from "../../url/ast.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { planMember } from "../expressions/plan_member.ts";
import { isRounded, rounded, type Scope, type Typed } from "../scope.ts";
import {
  asColumn,
  type Property,
  scopeOf,
  selectOf,
  settled,
  type State,
  type Table,
  uncut,
} from "./state.ts";
import { pathText } from "./hierarchy_facts.ts";

/** A grouping property. */
export interface Key {
  readonly path: readonly string[];
  readonly value: Typed;
  readonly element?: LinkedElement;
}

/** An aggregate of the rows of a group. */
export interface Aggregate {
  readonly name: string;
  readonly func: string;
  /** What is aggregated; undefined for the rows themselves. */
  readonly argument?: Expr | undefined;
  readonly result: Omit<Typed, "expr">;
  readonly element?: LinkedElement;
}

/**
 * The sets of grouping properties that `groupby` stands for: several with `rollup`, the most detailed first.
 *
 * @param elements the elements of `groupby`
 * @param state what is grouped
 * @param most how many sets there may be
 * @returns the sets
 */
export function groupingSets(
  elements: readonly Exclude<GroupbyElement, { kind: "rollupRecursive" }>[],
  state: State,
  most: number,
): readonly (readonly Key[])[] {
  const scope = scopeOf(state);
  let sets: (readonly Key[])[] = [[]];
  for (const element of elements) {
    const levels = elementLevels(element, scope);
    if (sets.length * levels.length > most) {
      throw badRequest(`rollup makes more than ${most} sets of groups`, element.offset);
    }
    sets = sets.flatMap((set) => levels.map((level) => distinct([...set, ...level])));
  }
  return sets;
}

/** Keys without those that are there already. */
export function distinct(keys: readonly Key[]): readonly Key[] {
  return [...new Map(keys.map((key) => [key.path.join("/"), key])).values()];
}

function elementLevels(
  element: Exclude<GroupbyElement, { kind: "rollupRecursive" }>,
  scope: Scope,
): readonly (readonly Key[])[] {
  if (element.kind === "memberExpr") return [groupingKeys(element, scope)];
  const properties = levelsOf(element.properties, scope).map((property) => groupingKeys(property, scope));
  return properties.map((_, index) => properties.slice(0, properties.length - index).flat());
}

/**
 * The keys of a grouping property; a navigation property stands for the keys of what it leads to.
 *
 * @param element the path
 * @param scope the names of the rows
 * @returns keys
 */
export function groupingKeys(element: MemberExpr, scope: Scope): readonly Key[] {
  const path = pathOf(element);
  const inside = [...scope.closed ? scope.computed : []].filter(([name]) =>
    name.startsWith(`${path.join("/")}/`)
  );
  if (inside.length > 0) return inside.map(([name, value]) => keyOf(name.split("/"), value));
  const member = planMember(element, scope);
  if (member.value !== undefined) return [keyOf(path, member.value)];
  const [ref, navigation] = member.navigation ?? [];
  if (ref === undefined || !navigation || navigation.is2many || !navigation.$foreignKeys?.length) {
    throw badRequest("Rows can be grouped by single values only", element.offset);
  }
  return navigation.$foreignKeys.map(({ target, element: { element: key } }) => {
    const builtin = key.$type.builtin;
    const type = builtin === undefined ? {} : { type: { builtin, element: key } };
    return keyOf([...path, target], { expr: reference([...ref, target]), nullable: true, ...type });
  });
}

function keyOf(path: readonly string[], value: Typed): Key {
  const element = value.type?.element;
  return { path, value, ...(element && { element }) };
}

function pathOf(expr: MemberExpr): readonly string[] {
  return expr.steps.map((step) => {
    if (step.kind !== "memberName" || step.parens.length > 0) {
      throw notImplemented("This path in $apply", step.offset);
    }
    return step.name;
  });
}

/**
 * The value of a key in what the transformations before have made.
 *
 * @param key the key
 * @param state where it is needed
 * @returns its value there
 */
export function keyValue({ path, value }: Key, state: State): Typed {
  return state.kind === "rows" ? value : scopeOf(state).computed.get(path.join("/")) ?? value;
}

/**
 * Groups rows.
 *
 * @param given what is grouped
 * @param keys the properties that make groups; all rows are one group without any
 * @param aggregates what is computed of each group
 * @returns the groups
 */
export function grouped(
  given: State,
  keys: readonly Key[],
  aggregates: readonly Aggregate[],
): Table {
  const whole = uncut(given);
  const source = aggregates.length === 0 ? settled(whole) : whole;
  const values = keys.map((key) => keyValue(key, source));
  const computed = aggregates.map((one) => ({ ...one, argument: conditional(one, source.when) }));
  const base = source.kind === "rows" ? { ...source.scope, computed: new Map() } : source.base;
  const isPlain = values.every(({ expr }) => expr.kind === "reference");
  const inner = isPlain ? undefined : projected(source, { values, aggregates: computed });
  const groupBy = values.map(({ expr }, index) => inner ? reference([`$key${index}`]) : expr);
  const properties = [
    ...keys.map(({ path, element }, index): Property => ({
      name: path.join("_"),
      path,
      value: { ...values[index]!, expr: groupBy[index]! },
      ...(element && { element }),
    })),
    ...computed.map((one, index) => aggregateProperty(one, inner && reference([`$value${index}`]))),
  ];
  return {
    kind: "table",
    from: inner ?? source.from,
    ...(inner === undefined && source.where && { where: source.where }),
    ...(inner === undefined && source.search && { search: source.search }),
    base,
    properties,
    groupBy,
    isGrouped: true,
    keys: properties.slice(0, keys.length).map(({ name }) => name),
    parts: 1,
  };
}

function aggregateProperty(one: Aggregate, ref: Expr | undefined): Property {
  const argument = one.argument && (ref ?? one.argument);
  const isDecimal = ["sum", "avg"].includes(one.func) && one.result.type?.builtin === "cds.Decimal";
  const func = isDecimal ? `$decimal_${one.func}` : one.func;
  const expr = call(func, [argument ?? "*"]);
  return {
    name: one.name,
    path: [one.name],
    value: {
      ...one.result,
      expr: func === "$decimal_sum" && isRounded(one.result.type) ? rounded(expr) : expr,
    },
    ...(one.element && { element: one.element }),
  };
}

/** Values of rows that meet a condition; null, which aggregates pass over, for others. */
function conditional({ argument }: Aggregate, when: Expr | undefined): Expr | undefined {
  return when === undefined ? argument : caseOf([{ when, then: argument ?? numeral(1) }]);
}

/** Groups can be made of columns only where a value is a parameter. */
function projected(
  source: State,
  of: { readonly values: readonly Typed[]; readonly aggregates: readonly Aggregate[] },
): TreeSelect {
  const columns: (Expr & ColumnName)[] = of.values.map(({ expr }, index) => asColumn(expr, `$key${index}`));
  for (const [index, { argument }] of of.aggregates.entries()) {
    if (argument) columns.push(asColumn(argument, `$value${index}`));
  }
  if (source.kind === "table") {
    return selectOf({ ...settled(source), properties: [], hidden: columns });
  }
  const { from, where, search } = source;
  return select({ from, columns, where, search });
}

/**
 * The properties of a rollup, the most general first.
 *
 * @param properties the arguments of `rollup`
 * @param scope the names of the rows
 * @returns paths
 * @throws {ServiceError} 400 for one argument that names no leveled hierarchy
 */
function levelsOf(properties: readonly MemberExpr[], { entity }: Scope): readonly MemberExpr[] {
  const [only, second] = properties;
  if (only === undefined || second !== undefined) return properties;
  const [step] = only.steps;
  const name = step?.kind === "memberName" ? step.name : "";
  const levels = entity[`@Aggregation.LeveledHierarchy#${name}`];
  if (!Array.isArray(levels)) {
    throw badRequest(
      `"${entity.name}" has no leveled hierarchy "${name}", and rollup needs two levels`,
      only.offset,
    );
  }
  return levels.map((level): MemberExpr => ({
    kind: "memberExpr",
    offset: only.offset,
    steps: pathText(level).split(/[./]/).map((part) => ({
      kind: "memberName",
      offset: only.offset,
      name: part,
      parens: [],
    })),
  }));
}
