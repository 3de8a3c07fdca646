/**
 * `$apply` → instances or rows with properties of their own (OData Data Aggregation 4.0).
 *
 * @module
 */

import { allOf } from "../../../algebra/build.ts";
import type { Expr, Reference } from "../../../algebra/tree.ts";
import type { AggregateExpr, ApplyExpr, ApplyTrafo, ExpandItem } from "../../url/ast.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { planCondition } from "../expressions/plan_expression.ts";
import { planSearch } from "../options/row_conditions.ts";
import { assertSize } from "../options/query_size.ts";
import { groupOf, type Scope, type Typed } from "../scope.ts";
import { searchOf } from "../expressions/plan_collection.ts";
import { aggregated, computed } from "./aggregates.ts";
import { bounded, ordered, ranked } from "./cuts.ts";
import { distinct, grouped, groupingSets, type Key } from "./grouping.ts";
import { inHierarchy, topLevels } from "./hierarchy.ts";
import { joined, union } from "./join.ts";
import {
  baseOf,
  derived,
  isCut,
  partsOf,
  scopeOf,
  selectOf,
  settled,
  type State,
  type Table,
  tableOf,
  uncut,
} from "./state.ts";
import { rolledUp } from "./rollup_recursive.ts";
import { TOP_LEVELS } from "./hierarchy_facts.ts";
import { searchCondition } from "../../../model/search.ts";

/** Where transformations stand. */
export interface ApplyPlace {
  /** Properties of the groups around. */
  readonly keys: readonly Key[];
  /** How many sets of groups `rollup` may make. */
  readonly sets: number;
  /** The instances are those of a row around. */
  readonly isNested?: boolean;
}

/**
 * Plans `$apply`.
 *
 * @param apply the transformations
 * @param scope what names refer to
 * @param from the instances
 * @returns what the transformations make
 * @throws {ServiceError} 400 if they make no sense for the model, 501 if we do not run them
 */
export function planApply(apply: ApplyExpr, scope: Scope, from: Reference): State {
  const isNested = scope.it !== undefined;
  const sets = scope.bindings.limits.groupingSets;
  return planSequence(apply.trafos, { kind: "rows", from, scope }, { keys: [], sets, isNested });
}

/**
 * Plans transformations in sequence.
 *
 * @param trafos the transformations
 * @param start what they start with
 * @param place the groups around
 * @returns what they make
 */
function planSequence(trafos: readonly ApplyTrafo[], start: State, place: ApplyPlace): State {
  let state = start;
  for (const trafo of trafos) {
    const { bindings } = baseOf(state);
    bindings.countTransformation(trafo.offset);
    state = planTrafo(trafo, withThese(state, place), place);
    assertSize(partsOf(state), bindings.limits.queryNodes, trafo.offset);
  }
  return state;
}

/** `$these` stands for all rows of the state; inside of groups it is not known which group is meant. */
function withThese(state: State, { keys, isNested }: ApplyPlace): State {
  if (isNested) return state;
  if (keys.length > 0) {
    return thatThese(state, ({ offset }) => {
      throw notImplemented('"$these" inside of groups', offset);
    });
  }
  const rows = state.kind === "rows"
    ? { ...state, scope: { ...state.scope, these: undefined } }
    : { ...state, base: { ...state.base, these: undefined } };
  const these = (item: AggregateExpr): Typed => {
    const table = aggregated(rows, [item], []);
    const { value } = table.properties[0]!; // one for the one item
    return { ...value, expr: selectOf(table) };
  };
  return thatThese(state, these);
}

function thatThese(state: State, these: NonNullable<Scope["these"]>): State {
  return state.kind === "rows"
    ? { ...state, scope: { ...state.scope, these } }
    : { ...state, base: { ...state.base, these } };
}

function planTrafo(trafo: ApplyTrafo, state: State, place: ApplyPlace): State {
  if (state.kind === "rows" && state.nested && !KEEPS_NESTED.has(trafo.kind)) throw unsupported(trafo);
  switch (trafo.kind) {
    case "identityTrafo":
      return state;
    case "filterTrafo":
      return filtered(trafo, state, place);
    case "searchTrafo":
      return searched(trafo, state);
    case "computeTrafo":
      return computed(trafo.items, state);
    case "groupbyTrafo":
      return groupedBy(trafo, state, place);
    case "aggregateTrafo":
      return aggregated(state, trafo.items, place.keys);
    case "orderbyTrafo":
      return ordered(state, trafo.items);
    case "topTrafo":
    case "skipTrafo":
      return bounded(state, trafo, place.keys);
    case "topBottomTrafo":
      return ranked(state, trafo, place.keys);
    case "concatTrafo":
      return concatenated(
        trafo.branches.map(({ trafos }) => tableOf(planSequence(trafos, state, place))),
        trafo.offset,
      );
    case "joinTrafo":
      return joined(state, trafo, ({ trafos }, rows) => planSequence(trafos, rows, { ...place, keys: [] }));
    case "nestTrafo":
      return withNested(trafo, state);
    case "hierarchyTrafo":
      if (place.keys.length > 0) throw unsupported(trafo);
      return inHierarchy(state, trafo, {
        run: ({ trafos }, rows) => planSequence(trafos, rows, place),
        isNested: place.isNested === true,
      });
    case "customFunction":
      if (trafo.call.name !== TOP_LEVELS || place.keys.length > 0) throw unsupported(trafo);
      return topLevels(state, trafo.call, place.isNested === true);
    default:
      throw unsupported(trafo);
  }
}

/** Transformations of instances with nested results. */
const KEEPS_NESTED: ReadonlySet<ApplyTrafo["kind"]> = new Set([
  "identityTrafo",
  "filterTrafo",
  "searchTrafo",
  "orderbyTrafo",
  "topTrafo",
  "skipTrafo",
  "topBottomTrafo",
  "nestTrafo",
]);

function unsupported(trafo: ApplyTrafo): Error {
  return notImplemented(`The transformation "${nameOf(trafo)}" at this place of $apply`, trafo.offset);
}

/** `addnested`: results of transformations of related instances beside each instance. */
function withNested(trafo: Extract<ApplyTrafo, { kind: "nestTrafo" }>, given: State): State {
  const { path, items, offset } = trafo;
  const state = isCut(given) ? uncut(given) : given;
  const [step, more] = path?.steps ?? [];
  if (state.kind === "table" || state.scope.joined?.size || more || step?.kind !== "memberName") {
    throw unsupported(trafo);
  }
  const { entity, computed } = state.scope;
  const nested = items.map(({ apply, alias }): ExpandItem => {
    const isTaken = entity.$flat.has(alias) || entity.elements[alias] !== undefined || computed.has(alias) ||
      state.nested?.some((item) => item.alias === alias);
    if (isTaken) throw badRequest(`The name "${alias}" is taken`, offset);
    return {
      offset: path!.offset,
      path: [step.name],
      options: { apply, offsets: { apply: apply.offset } },
      alias,
    };
  });
  return { ...state, nested: [...state.nested ?? [], ...nested] };
}

function nameOf(trafo: ApplyTrafo): string {
  if (trafo.kind === "hierarchyTrafo") return trafo.name;
  if (trafo.kind === "customFunction") return trafo.call.name;
  return trafo.kind === "nestTrafo" && trafo.path ? "addnested" : trafo.kind.replace("Trafo", "");
}

/** Inside of a group the aggregates see the rows that are left; the group itself stays. */
function filtered(
  { filter }: Extract<ApplyTrafo, { kind: "filterTrafo" }>,
  given: State,
  { keys }: ApplyPlace,
): State {
  const state = isCut(given) ? uncut(given) : given;
  const condition = planCondition(filter, scopeOf(state));
  if (state.kind === "table" && state.isGrouped) {
    return { ...state, having: allOf([state.having, condition]) };
  }
  return keys.length > 0
    ? { ...state, when: allOf([state.when, condition]) }
    : { ...state, where: allOf([state.where, condition]) };
}

function searched({ search }: Extract<ApplyTrafo, { kind: "searchTrafo" }>, given: State): State {
  const state = settled(isCut(given) ? uncut(given) : given);
  const terms = planSearch(search);
  if (state.kind === "table") return searchedTable(state, terms);
  if (state.search === undefined) return { ...state, search: terms };
  return { ...state, where: allOf([state.where, searchOf(terms, state.scope.entity)]) };
}

function groupedBy(
  { elements, apply }: Extract<ApplyTrafo, { kind: "groupbyTrafo" }>,
  given: State,
  place: ApplyPlace,
): State {
  const recursive = elements.filter((element) => element.kind === "rollupRecursive");
  const others = elements.filter((element) => element.kind !== "rollupRecursive");
  const rolled = recursive.length === 0 ? undefined : rolledUp(given, recursive, {
    run: ({ trafos }, rows) => planSequence(trafos, rows, { ...place, keys: [], isNested: false }),
    isAlone: others.length === 0 && place.keys.length === 0,
  });
  const state = rolled?.state ?? uncut(given);
  const sets = groupingSets(others, state, place.sets);
  const states = sets.map((set): State => {
    const keys = distinct([...place.keys, ...rolled?.keys ?? [], ...set]);
    return apply === undefined
      ? grouped(state, keys, [])
      : planSequence(apply.trafos, state, { keys, sets: Math.floor(place.sets / sets.length) });
  });
  const groups = states.length === 1 ? states[0]! : union(states.map(tableOf));
  return rolled ? rolled.placed(tableOf(groups)) : groups;
}

/**
 * The rows of all branches. A name has values of one type in all of them: databases have one column for it.
 *
 * @throws {ServiceError} 400 for a name with values of several types
 */
function concatenated(tables: readonly Table[], offset: number): Table {
  const types = new Map<string, string>();
  for (const { path, value: { type } } of tables.flatMap(({ properties }) => properties)) {
    const group = groupOf(type);
    if (type === undefined || group === undefined) continue;
    const kind = group === "instant" ? type.builtin : group;
    const name = path.join("/");
    if ((types.get(name) ?? kind) !== kind) {
      throw badRequest(`The name "${name}" stands for values of different types`, offset);
    }
    types.set(name, kind);
  }
  return union(tables);
}

/**
 * Keeps rows that hold terms.
 *
 * @param given the rows
 * @param search the terms
 * @returns the rows that hold them
 */
function searchedTable(given: Table, search: Expr): Table {
  const table = derived(given);
  const paths = table.properties.filter(({ value }) => groupOf(value.type) === "text").map((
    { name },
  ) => [name]);
  const where = searchCondition(search, { entity: table.base.entity, paths });
  return { ...table, where: allOf([table.where, where]) };
}
