import {
  allOf,
  arithmetic,
  cast,
  compare,
  isNull,
  join,
  NULL,
  numeral,
  reference,
} from "../../../algebra/build.ts";
import type { Expr, TreeSelect, TreeStep } from "../../../algebra/tree.ts";
import type { ApplyExpr, ApplyTrafo } from "../../url/ast.ts";
import { badRequest, notImplemented, unknownName } from "../plan_error.ts";
import { assertFewJoined } from "../expressions/member_walk.ts";
import { searchOf } from "../expressions/plan_collection.ts";
import { type JoinedPath, type Scope, scopeOfRow } from "../scope.ts";
import { navigationNames, navigationOf } from "../service_index.ts";
import {
  asColumn,
  derived,
  isCut,
  isInstances,
  PART,
  type Property,
  type Rows,
  selectOf,
  settled,
  type State,
  type Table,
  uncut,
} from "./state.ts";
import { distinct, grouped, type Key } from "./grouping.ts";
import { orderOf, overRows } from "./cuts.ts";

/** Runs transformations on instances of another entity. */
export type RunInner = (apply: ApplyExpr, rows: Rows) => State;

/**
 * Joins related instances.
 *
 * @param given the instances
 * @param trafo the transformation
 * @param run runs the transformations of the related instances
 * @returns instances with the related ones beside them
 */
export function joined(given: State, trafo: Extract<ApplyTrafo, { kind: "joinTrafo" }>, run: RunInner): Rows {
  const { alias, outer, offset, property } = trafo;
  const state = isCut(given) ? uncut(given) : settled(given);
  if (state.kind === "table") throw notImplemented("A join of rows that are no entities", offset);
  const { scope } = state;
  if (scope.computed.has(alias) || scope.joined?.has(alias) || scope.entity.elements[alias]) {
    throw badRequest(`The name "${alias}" is taken`, offset);
  }
  const [step, more] = property.steps;
  if (step?.kind !== "memberName" || more || step.parens.length > 0) {
    throw notImplemented("This path in a join", property.offset);
  }
  const navigation = navigationOf(scope.entity, step.name);
  if (navigation === undefined) {
    const known = navigationNames(scope.entity);
    const owner = scope.entity.name;
    throw unknownName({ name: step.name, offset: step.offset, what: "navigation property", owner, known });
  }
  const { element, target } = navigation;
  const inner = trafo.apply && innerCondition(trafo.apply, target, { scope, run });
  const where = allOf([inner, apart(element, scope)]);
  const ref: readonly TreeStep[] = [where ? { id: step.name, where } : step.name];
  const path: JoinedPath = { ref, element, target };
  const beside = new Map([...scope.joined ?? [], [alias, path]]);
  assertFewJoined(joinedCollections(beside), scope.bindings, offset);
  return {
    ...state,
    where: allOf([state.where, joinCondition(path, { outer, offset })]),
    scope: { ...scope, joined: beside },
  };
}

/** Equal paths lead to one instance: where a collection is joined once more, its path has a condition that is always true. */
function apart(element: JoinedPath["element"], { joined }: Scope): Expr | undefined {
  const before = [...joined?.values() ?? []].filter((one) => one.element === element).length;
  return element.is2many && before > 0 ? compare(numeral(before), "=", numeral(before)) : undefined;
}

/**
 * How many collections stand beside instances.
 *
 * @param joined what `join` has put there
 */
export function joinedCollections(joined: Scope["joined"]): number {
  return [...joined?.values() ?? []].filter(({ element }) => element.is2many).length;
}

/** Names the joined rows, so that they are read; without `outer` there has to be one. */
function joinCondition(
  { ref, target }: JoinedPath,
  { outer, offset }: { readonly outer: boolean; readonly offset: number },
): Expr {
  const key = target.$flatKeys.find(({ virtual }) => !virtual);
  if (key === undefined) throw notImplemented("A join of entities without key", offset);
  const found = reference([...ref, key.name]);
  return outer ? join("or", [isNull(found), isNull(found, true)]) : isNull(found, true);
}

function innerCondition(
  apply: ApplyExpr,
  entity: Scope["entity"],
  { scope, run }: { readonly scope: Scope; readonly run: RunInner },
): Expr | undefined {
  const inner = scopeOfRow(entity, scope);
  const rows = run(apply, { kind: "rows", from: reference([entity.name]), scope: inner });
  if (!isInstances(rows) || isCut(rows) || rows.scope.computed.size > 0) {
    throw notImplemented("This transformation inside of a join", apply.offset);
  }
  const { where, search } = settled(rows);
  return allOf([where, search && searchOf(search, entity)]);
}

/** The column with the position of a row in its part. */
const POSITION = "$position";

/**
 * The rows of several tables, one behind the other.
 *
 * @param tables the tables
 * @returns one table; its rows know which part they are of
 */
export function union(tables: readonly Table[]): Table {
  const [first] = tables;
  if (first === undefined || tables.length === 1) return first!; // the grammar wants one
  const properties = new Map<string, Property & { parts: Set<number> }>();
  const args: TreeSelect[] = [];
  let parts = 0;
  for (const table of tables) {
    for (const property of table.properties) {
      const key = property.path.join("/");
      const known = properties.get(key);
      const merged = known ?? { ...property, parts: new Set<number>() };
      const own = property.parts ?? Array.from({ length: table.parts }, (_, index) => index);
      for (const part of own) merged.parts.add(parts + part);
      if (known === undefined) properties.set(key, merged);
    }
    parts += table.parts;
  }
  const all = [...properties.values()];
  let before = 0;
  for (const table of tables) {
    args.push(branch(table, all, before));
    before += table.parts;
  }
  const keys = new Set(tables.flatMap((table) => table.keys));
  return {
    kind: "table",
    from: { kind: "set", SET: { op: "union", all: true, args } },
    base: first.base,
    properties: all.map((property) => ({
      ...property,
      value: { ...property.value, expr: reference([property.name]) },
    })),
    hidden: [reference([PART]), reference([POSITION])],
    orderBy: [reference([PART]), reference([POSITION])],
    keys: [...keys],
    parts,
  };
}

/** A table with the columns of all: null where it has none, and the number of its part. */
function branch(given: Table, properties: readonly Property[], before: number): TreeSelect {
  const isOrdered = (given.orderBy?.length ?? 0) > 0;
  const table = isOrdered || isCut(given) || given.isGrouped ? derived(given) : given;
  const own = new Map(table.properties.map((property) => [property.path.join("/"), property.value.expr]));
  const columns = properties.map((property) =>
    asColumn(own.get(property.path.join("/")) ?? nothing(property), property.name)
  );
  const part = table.parts > 1 ? arithmetic(reference([PART]), "+", numeral(before)) : numeral(before);
  const position = isOrdered
    ? overRows("row_number", [], { orderBy: orderOf(table) })
    : cast(NULL, { type: "cds.Integer" });
  return selectOf({
    ...table,
    properties: [],
    hidden: [...columns, asColumn(part, PART), asColumn(position, POSITION)],
  });
}

function nothing({ value: { type } }: Property): Expr {
  return type ? cast(NULL, { type: type.builtin }) : NULL;
}

/**
 * Groups whose aggregates were computed apart, side by side: of each aggregate only one row of a group has a value.
 *
 * @param tables groups by the same keys
 * @param keys the keys
 * @returns groups with all aggregates
 */
export function merged(tables: readonly Table[], keys: readonly Key[]): Table {
  if (tables.length === 1) return tables[0]!;
  const names = new Set(distinct(keys).map(({ path }) => path.join("/")));
  const rows = { ...derived(union(tables)), orderBy: [], parts: 1 };
  const aggregates = rows.properties.filter(({ path }) => !names.has(path.join("/")));
  return grouped(
    rows,
    keys,
    aggregates.map(({ name, value: { expr, ...result }, element }) => ({
      name,
      func: "max",
      argument: expr,
      result,
      ...(element && { element }),
    })),
  );
}
