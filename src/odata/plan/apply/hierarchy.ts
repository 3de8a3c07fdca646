/**
 * `ancestors`, `descendants` and `traverse` over recursive hierarchies (Data Aggregation 4.0, 5.5.2 and 6.2). Which nodes
 * they mean is found out before the query runs (`resources/hierarchy_nodes.ts`); the query has them as parameters.
 *
 * @module
 */

import type {
  CastType,
  Expression,
  OrderTerm,
  RefExpression,
  SelectQuery,
  Source,
} from "../../../cqn/cqn.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import type { ApplyTrafo, MemberName, RecHierReference } from "../../url/ast.ts";
import { conjunction } from "../../../cqn/conjunction.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { planValue } from "../expressions/plan_expression.ts";
import { rootCollection } from "../expressions/plan_member.ts";
import type { Walk } from "../expressions/member_walk.ts";
import { planOrderby } from "../options/plan_orderby.ts";
import { namedRows, type Scope, scopeOfRow } from "../scope.ts";
import type { RunInner } from "./join.ts";
import { annotationMember, factsOf, pathText, topLevelsArguments } from "./hierarchy_facts.ts";
import {
  asColumn,
  type Instances,
  isCut,
  isInstances,
  type Rows,
  settled,
  type State,
  uncut,
} from "./state.ts";

type Hierarchy = Extract<ApplyTrafo, { kind: "hierarchyTrafo" }>;

/** Stands around each node in the text that gives the order of `traverse`. */
const SEPARATOR = "\u0001";

/**
 * Keeps or orders instances by their place in a hierarchy.
 *
 * @param given the instances
 * @param trafo the transformation
 * @param place `run`: runs transformations of the instances, or of the nodes; `isNested`: the instances are those of a
 *   row around, so that only the query itself knows where to start
 * @returns the instances that are left
 * @throws {ServiceError} 400 if there is no such hierarchy
 */
export function inHierarchy(
  given: State,
  trafo: Hierarchy,
  { run, isNested }: { readonly run: RunInner; readonly isNested: boolean },
): State {
  const state = settled(isCut(given) ? uncut(given) : given);
  if (!isInstances(state)) throw notImplemented(`"${trafo.name}" of rows that are no entities`, trafo.offset);
  const { hierarchy, name } = trafo;
  const { scope } = state;
  const value = planValue(hierarchy.property, scope).expr;
  const param = scope.bindings.nodesName();
  if (isNested && name !== "traverse") {
    return {
      ...state,
      where: conjunction(state.where, [value, "in", relatedNodes(state, trafo, { run, param })]),
    };
  }
  const facts = factsIn(state, hierarchy, { value, param });
  scope.bindings.hierarchies.push({
    name,
    param,
    ...(facts && { members: facts.members }),
    nodes: nodesQuery(
      { hierarchy, orderby: trafo.orderby, trafos: name === "traverse" ? trafo.trafos : undefined },
      scope,
      run,
    ),
    ...(name === "traverse" ? {} : { start: startQuery(state, trafo, run) }),
    ...(trafo.distance === undefined ? {} : { distance: trafo.distance }),
    ...(trafo.keepStart ? { keepStart: true } : {}),
    ...(trafo.order ? { order: trafo.order } : {}),
    separator: SEPARATOR,
  });
  const kept = keptNodes(state, { value, param, facts: facts?.values });
  return name === "traverse" ? { ...kept, orderBy: inOrder(param, value) } : kept;
}

/** The instances at nodes that a parameter has, with the properties that say where the nodes stand. */
function keptNodes(
  state: Instances,
  { value, param, facts }: {
    readonly value: Expression;
    readonly param: string;
    readonly facts: Scope["computed"] | undefined;
  },
): Instances {
  const { scope } = state;
  return {
    ...state,
    where: conjunction(state.where, [value, "in", { ref: [param], param: true }]),
    ...(facts && { scope: { ...scope, computed: new Map([...scope.computed, ...facts]) } }),
  };
}

/**
 * `TopLevels`: the nodes of the first levels, in preorder, and what is expanded below.
 *
 * @see https://sap.github.io/odata-vocabularies/vocabularies/Hierarchy.html#TopLevels
 *
 * @param given the instances, whose order is that of siblings
 * @param trafo the call
 * @param isNested the instances are those of a row around
 * @returns the instances that are shown
 * @throws {ServiceError} 400 if there is no such hierarchy or an argument makes no sense
 */
export function topLevels(given: State, trafo: MemberName, isNested: boolean): State {
  const state = settled(isCut(given) ? uncut(given) : given);
  const { name, offset } = trafo;
  if (!isInstances(state) || isNested) throw notImplemented(`"${name}" of rows that are no entities`, offset);
  const { scope } = state;
  const { hierarchy, levels, changes } = topLevelsArguments(trafo, scope);
  if (nodesSource(hierarchy, scope).entity !== scope.entity) {
    throw notImplemented(`"${name}" of instances that are no nodes`, offset);
  }
  const value = planValue(hierarchy.property, scope).expr;
  const param = scope.bindings.nodesName();
  const facts = factsIn(state, hierarchy, { value, param });
  const members = membersQuery(state, hierarchy);
  scope.bindings.hierarchies.push({
    name: "topLevels",
    param,
    nodes: members,
    levels,
    changes,
    ...(facts && { members }),
    separator: SEPARATOR,
  });
  return { ...keptNodes(state, { value, param, facts: facts?.values }), orderBy: inOrder(param, value) };
}

/** Properties that say where nodes stand, where the instances are nodes, and the query of those before. */
function factsIn(
  state: Instances,
  hierarchy: RecHierReference,
  { value, param }: { readonly value: Expression; readonly param: string },
): { readonly values: Scope["computed"]; readonly members: SelectQuery } | undefined {
  const { entity } = state.scope;
  if (nodesSource(hierarchy, state.scope).entity !== entity) return undefined;
  const { qualifier } = hierarchy;
  const values = factsOf(entity, { qualifier, value, param: `${param}_facts` });
  return values.size === 0 ? undefined : { values, members: membersQuery(state, hierarchy) };
}

/** The nodes that instances are, and their parents, siblings in the order of the instances. */
function membersQuery(state: Instances, hierarchy: RecHierReference): SelectQuery {
  const { from, where, search, orderBy = [], scope } = state;
  const { node, parent } = annotated(scope.entity, hierarchy);
  const columns = [asColumn({ ref: [node] }, "node"), asColumn({ ref: parent }, "parent")];
  const clauses = { ...(where && { where }), ...(search && { search }) };
  const order = [...orderBy, { ref: [node], sort: "asc" as const }];
  return { SELECT: { from, columns, localized: true, bounded: true, ...clauses, orderBy: order } };
}

/** The query of the nodes above or below those that `ancestors` and `descendants` start at. */
function relatedNodes(
  state: Instances,
  trafo: Hierarchy,
  { run, param }: { readonly run: RunInner; readonly param: string },
): SelectQuery {
  const { hierarchy, name, distance, keepStart } = trafo;
  const { bindings } = state.scope;
  const nodes = nodesQuery({ hierarchy }, state.scope, run);
  const kept = { ...(distance === undefined ? {} : { distance }), ...(keepStart ? { keepStart } : {}) };
  bindings.hierarchies.push({ name: "pairs", param, nodes, ...kept, separator: SEPARATOR });
  const { entity } = nodesSource(hierarchy, state.scope);
  const type = entity.$flat.get(annotated(entity, hierarchy).node)!.element.$type.builtin!;
  const pairs = pairsSource(param, { item: bindings.itemName(), as: bindings.rowName(), type });
  const [from, to] = name === "ancestors" ? ["below", "node"] as const : ["node", "below"] as const;
  const { SELECT: { localized: _localized, ...start } } = startQuery(state, trafo, run);
  return {
    SELECT: { from: pairs, columns: [{ ref: [to] }], where: [{ ref: [from] }, "in", { SELECT: start }] },
  };
}

/** The order in which nodes stand in the text with all of them. */
function inOrder(param: string, value: Expression): readonly OrderTerm[] {
  const order: RefExpression = { ref: [`${param}_order`], param: true };
  const separator = { val: SEPARATOR };
  const text: Expression & { readonly cast: CastType } = { ...value, cast: { type: "cds.String" } };
  const place = { func: "concat", args: [separator, text, separator] };
  return [{ func: "indexof", args: [order, place], sort: "asc" }];
}

/** Which nodes make a hierarchy. */
export interface NodesOf extends Pick<Hierarchy, "hierarchy" | "trafos" | "orderby"> {}

/**
 * The query of nodes and their parents.
 *
 * @param of the hierarchy, the transformations that keep some of its nodes, and the order of siblings
 * @param scope the scope of the instances
 * @param run runs transformations of the nodes
 * @throws {ServiceError} 400 if there is no such hierarchy
 */
export function nodesQuery(
  { hierarchy, trafos, orderby }: NodesOf,
  scope: Scope,
  run: RunInner,
): SelectQuery {
  const { entity, ref } = nodesSource(hierarchy, scope);
  const { node, parent } = annotated(entity, hierarchy);
  const inner = scopeOfRow(entity, scope);
  const all: Instances = { kind: "rows", from: { ref }, scope: inner };
  const rows = trafos ? settled(uncut(run(trafos, all))) : all;
  if (!isInstances(rows)) throw notImplemented("Groups as nodes of a hierarchy", hierarchy.nodes.offset);
  const columns = [asColumn({ ref: [node] }, "node"), asColumn({ ref: parent }, "parent")];
  const { from, where, search } = rows;
  const orderBy = planOrderby(orderby, inner, true);
  const clauses = { ...(where && { where }), ...(search && { search }), orderBy };
  return namedRows(
    { SELECT: { from, columns, localized: true, bounded: true, ...clauses } },
    all.from,
    inner.row,
  );
}

/** The nodes that `ancestors` and `descendants` start at. */
function startQuery(given: Rows, { hierarchy, trafos, offset }: Hierarchy, run: RunInner): SelectQuery {
  const state = settled(uncut(run(trafos!, given))); // the grammar wants them
  if (!isInstances(state)) throw notImplemented("Groups as start nodes of a hierarchy", offset);
  const { from, where, search, scope } = state;
  const columns = [asColumn(planValue(hierarchy.property, scope).expr, "node")];
  const clauses = { ...(where && { where }), ...(search && { search }) };
  return { SELECT: { from, columns, distinct: true, localized: true, bounded: true, ...clauses } };
}

/**
 * Where nodes are read: an entity set, or a collection that a path from one leads to.
 *
 * @param hierarchy the hierarchy
 * @param scope has the entity sets
 */
export function nodesSource({ nodes }: RecHierReference, scope: Scope): Pick<Walk, "entity" | "ref"> {
  if (nodes.kind === "memberExpr" && nodes.root === "$root") return rootCollection(nodes, scope);
  throw badRequest('"$root/" and an entity set are expected', nodes.offset);
}

/**
 * Paths of `@Aggregation.RecursiveHierarchy`, written as a whole or member by member.
 *
 * @param entity the entity of the nodes
 * @param hierarchy the hierarchy
 */
export function annotated(
  entity: LinkedEntity,
  { qualifier, property }: RecHierReference,
): { readonly node: string; readonly parent: readonly string[] } {
  const term = `@Aggregation.RecursiveHierarchy#${qualifier}` as const;
  const member = (name: string) => pathText(annotationMember(entity, term, name));
  const [node, navigation] = [member("NodeProperty"), member("ParentNavigationProperty")];
  const association = entity.elements[navigation];
  if (!entity.$flat.has(node) || !association?.$target) {
    throw badRequest(`"${entity.name}" has no recursive hierarchy "${qualifier}"`, property.offset);
  }
  if (association.is2many) throw notImplemented("A hierarchy of nodes with several parents", property.offset);
  return { node, parent: [navigation, node] };
}

/** Where pairs are read. */
interface PairsPlace {
  /** The name of a pair in the array. */
  readonly item: string;
  /** The name of the source. */
  readonly as: string;
  /** The type of nodes. */
  readonly type: string;
}

/**
 * Pairs of nodes as source: the columns `node` and `below`.
 *
 * @param param the parameter with the pairs
 * @param place names, and the type of nodes
 */
export function pairsSource(param: string, { item, as, type }: PairsPlace): Source {
  const member = (name: string) => {
    const args: Expression[] = [{ ref: [item, "value"] }, { val: name, literal: "name" }];
    return asColumn({ func: "$member", args, cast: { type } } as Expression, name);
  };
  const from = { ref: [{ id: "$rows", rows: { ref: [param], param: true as const } }], as: item };
  return { SELECT: { from, columns: [member("node"), member("below")] }, as };
}
