import { reference } from "../../../algebra/build.ts";
import { edmProperty } from "../../../model/edm_types.ts";
import type { AggregateExpr, ComputeItem, MemberExpr } from "../../url/ast.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { planValue } from "../expressions/plan_expression.ts";
import { planMember } from "../expressions/plan_member.ts";
import { assertFewJoined } from "../expressions/member_walk.ts";
import { groupOf, INT64, ROUNDED, type Scope } from "../scope.ts";
import { symbolText } from "./hierarchy_facts.ts";
import { type Aggregate, distinct, grouped, groupingKeys, type Key } from "./grouping.ts";
import { joinedCollections, merged } from "./join.ts";
import { scopeOf, settled, type State, type Table, uncut } from "./state.ts";
import { stepName } from "../../../cqn/steps.ts";
import { storedKeys } from "../../../model/keys.ts";
import { isTaken } from "../options/plan_values.ts";
import { assertSize } from "../options/query_size.ts";

const METHODS: Readonly<Record<string, string>> = {
  sum: "sum",
  min: "min",
  max: "max",
  average: "avg",
  countdistinct: "countdistinct",
};

/** Methods by the symbols of `@Aggregation.default`. */
const DEFAULTS: Readonly<Record<string, string>> = {
  SUM: "sum",
  MIN: "min",
  MAX: "max",
  AVG: "average",
  AVERAGE: "average",
  COUNT_DISTINCT: "countdistinct",
};

/** An argument of `aggregate` with the name and the method that it stands for. */
type NamedAggregate = AggregateExpr & { readonly alias: string };

/**
 * Aggregates rows.
 *
 * @param whole the rows
 * @param items the arguments of `aggregate`
 * @param keys the properties of the groups around; all rows are one group without any
 * @returns one row per group
 */
export function aggregated(whole: State, items: readonly AggregateExpr[], keys: readonly Key[]): Table {
  const given = uncut(whole);
  const scope = scopeOf(given);
  const names = new Set(keys.map(({ path }) => path.join("_")));
  const variants = new Map<string, NamedAggregate[]>();
  for (const item of items) {
    const named = withName(item, scope);
    if (isTaken(named.alias, names)) throw badRequest(`The name "${named.alias}" is taken`, item.offset);
    names.add(named.alias);
    const variant = variantOf(named, scope);
    variants.set(variant, [...variants.get(variant) ?? [], named]);
  }
  const tables = [...variants.values()].map((variant) => aggregateVariant(given, variant, keys));
  const table = merged(tables, keys);
  const order = [...names];
  const at = (name: string) => order.indexOf(name);
  return { ...table, properties: table.properties.toSorted((a, b) => at(a.name) - at(b.name)) };
}

/** A custom aggregate is a property with a default method; its name is the alias unless there is another. */
function withName(item: AggregateExpr, scope: Scope): NamedAggregate {
  const { expr, alias, method, offset } = item;
  if (alias !== undefined && (method !== undefined || isCount(expr))) return { ...item, alias };
  const step = expr.kind === "memberExpr" && expr.steps.length === 1 ? expr.steps[0] : undefined;
  if (step?.kind === "memberName") {
    const custom = customMethod(step.name, scope);
    if (custom !== undefined) return { ...item, method: custom, alias: alias ?? step.name };
  }
  if (expr.kind === "memberExpr") planMember(expr, { ...scope, flattened: new Set() });
  throw badRequest('An aggregation needs "with" and a method, or "as" and a name', offset);
}

function customMethod(name: string, { entity, closed }: Scope): string | undefined {
  const element = closed ? undefined : edmProperty(entity, name)?.annotated;
  const symbol = element && symbolText(element["@Aggregation.default"]);
  return symbol ? DEFAULTS[symbol.toUpperCase()] : undefined;
}

function isCount(expr: AggregateExpr["expr"]): expr is MemberExpr {
  return expr.kind === "memberExpr" && expr.steps.at(-1)?.kind === "countStep";
}

/** Aggregates of one variant can be computed of the same rows. */
function variantOf(item: NamedAggregate, scope: Scope): string {
  const flattened = new Set<string>();
  aggregateOf(item, { ...scope, flattened });
  const paths = [...flattened].sort((a, b) => a.length - b.length);
  const deepest = paths.at(-1) ?? "";
  if (!paths.every((path) => deepest === path || deepest.startsWith(`${path}/`))) {
    throw notImplemented("An aggregation of two collections", item.offset);
  }
  assertFewJoined(flattened.size + joinedCollections(scope.joined), scope.bindings, item.offset);
  const from = item.from?.map(({ properties, method }) => [method, properties.map(textOf)]);
  return JSON.stringify([deepest, from, from && item.method]);
}

function textOf({ steps }: MemberExpr): string {
  return steps.map((step) => step.kind === "memberName" ? step.name : step.kind).join("/");
}

function aggregateVariant(given: State, items: readonly NamedAggregate[], keys: readonly Key[]): Table {
  const [first] = items;
  const from = first!.from ?? [];
  const state = from.length > 0 ? settled(given) : given;
  const scope: Scope = { ...scopeOf(state), flattened: new Set() };
  const levels = from.map(({ properties }) => properties.flatMap((one) => groupingKeys(one, scope)));
  const around = (level: number) => distinct([...keys, ...levels.slice(level).flat()]);
  let table = grouped(state, around(0), items.map((item) => aggregateOf(item, scope)));
  for (const [level, { method }] of from.entries()) {
    if (method === undefined) throw badRequest('"from" needs "with" and a method', first!.offset);
    const inner = scopeOf(table);
    const next = items.map((item): Aggregate => {
      const value = inner.computed.get(item.alias)!; // made by the level before
      return methodAggregate({ name: item.alias, method, offset: item.offset }, value);
    });
    table = grouped(
      table,
      around(level + 1),
      next.map((one, index) => ({
        ...one,
        argument: reference([items[index]!.alias]),
      })),
    );
  }
  return table;
}

function aggregateOf(item: NamedAggregate, scope: Scope): Aggregate {
  const { expr, method, alias: name, offset } = item;
  if (method === undefined && isCount(expr)) return countOf(expr, name, scope);
  if (method === "countdistinct" && expr.kind === "memberExpr") {
    const [key, second] = instanceKeys(expr, scope);
    if (second !== undefined) throw notImplemented("countdistinct of instances with several keys", offset);
    if (key !== undefined) return methodAggregate({ name, method, offset }, key.value);
  }
  return methodAggregate({ name, method: method!, offset }, planValue(expr, scope));
}

/** The keys that stand for related instances. */
function instanceKeys(expr: MemberExpr, scope: Scope): readonly Key[] {
  if (scope.closed) return [];
  const { value, navigation } = planMember(expr, scope);
  if (value !== undefined || navigation === undefined) return [];
  if (!navigation[1].is2many) return groupingKeys(expr, scope);
  return keysOf(navigation).map((ref) => ({ path: [], value: { expr: reference(ref), nullable: true } }));
}

function keysOf([ref, { $target: target }]: NonNullable<ReturnType<typeof planMember>["navigation"]>) {
  return storedKeys(target!).map(({ name }) => [...ref, name]);
}

/** `$count` of the rows, or of related instances. */
function countOf(expr: MemberExpr, name: string, scope: Scope): Aggregate {
  const steps = expr.steps.slice(0, -1);
  const result = { type: INT64, nullable: false };
  if (steps.length === 0) return { name, func: "count", result };
  const { navigation } = planMember({ ...expr, steps }, scope);
  if (navigation === undefined) throw badRequest("A collection is expected before this", expr.offset);
  const [ref, element] = navigation;
  scope.flattened?.add(ref.map(stepName).join("/"));
  const [key] = keysOf([ref, element]);
  if (key === undefined) throw notImplemented("A count of instances without key", expr.offset);
  return { name, func: "count", argument: reference(key), result };
}

interface Method {
  readonly name: string;
  readonly method: string;
  readonly offset: number;
}

function methodAggregate({ name, method, offset }: Method, value: ReturnType<typeof planValue>): Aggregate {
  const func = METHODS[method];
  if (func === undefined) throw notImplemented(`The aggregation method "${method}"`, offset);
  const group = groupOf(value.type);
  if (
    (method === "sum" || method === "average") && group !== undefined && group !== "number" &&
    group !== "duration"
  ) {
    throw badRequest(`The method "${method}" needs numbers`, offset);
  }
  if ((method === "min" || method === "max") && group === "binary") {
    throw badRequest(`The method "${method}" needs values that have an order`, offset);
  }
  const isDuration = group === "duration";
  const type = method === "countdistinct"
    ? INT64
    : method === "average" && !isDuration && value.type?.builtin !== "cds.Double"
    ? ROUNDED
    : value.type;
  const keepsType = method === "min" || method === "max" || (isDuration && method !== "countdistinct");
  const element = keepsType ? value.type?.element : undefined;
  return {
    name,
    func,
    argument: value.expr,
    result: { type, nullable: method !== "countdistinct" },
    ...(element && { element }),
  };
}

/**
 * Adds properties.
 *
 * @param items expressions with names
 * @param state the rows
 * @returns the rows with the properties
 */
export function computed(
  items: readonly ComputeItem[],
  state: State,
): State {
  return items.reduce<State>((before, { expr, name, offset }) => {
    const scope = scopeOf(before);
    if (
      isTaken(name, scope.computed.keys()) || scope.joined?.has(name) ||
      (!scope.closed && isTaken(name, scope.entity.$flat.keys()))
    ) {
      throw badRequest(`The name "${name}" is taken`, offset);
    }
    const value = planValue(expr, scope);
    assertSize([value.expr], scope.bindings.limits.queryNodes, offset);
    if (before.kind === "rows") {
      return { ...before, scope: { ...before.scope, computed: new Map([...scope.computed, [name, value]]) } };
    }
    return { ...before, properties: [...before.properties, { name, path: [name], value }] };
  }, state);
}
