/**
 * `ancestors`, `descendants` and `traverse` over recursive hierarchies (Data Aggregation 4.0, 5.5.2 and 6.2). Which nodes
 * they mean is found out before the query runs (`resources/hierarchy_nodes.ts`); the query has them as parameters.
 *
 * @module
 */

import { allOf, call, isIn, literal, parameter, reference, select } from "../../../algebra/build.ts";
import type { Expr, TreeOrder, TreeSelect, TreeSource } from "../../../algebra/tree.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import type { ApplyTrafo, MemberName, RecHierReference } from "../../url/ast.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { planValue } from "../expressions/plan_expression.ts";
import { rootCollection } from "../expressions/plan_member.ts";
import type { Walk } from "../expressions/member_walk.ts";
import { alias } from "../expressions/plan_item.ts";
import { planOrderby } from "../options/plan_orderby.ts";
import { namedRows, type Scope, scopeOfRow, told } from "../scope.ts";
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
      where: allOf([state.where, isIn(value, relatedNodes(state, trafo, { run, param }))]),
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
    readonly value: Expr;
    readonly param: string;
    readonly facts: Scope["computed"] | undefined;
  },
): Instances {
  const { scope } = state;
  return {
    ...state,
    where: allOf([state.where, isIn(value, parameter(param))]),
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
  { value, param }: { readonly value: Expr; readonly param: string },
): { readonly values: Scope["computed"]; readonly members: TreeSelect } | undefined {
  const { entity } = state.scope;
  if (nodesSource(hierarchy, state.scope).entity !== entity) return undefined;
  const { qualifier } = hierarchy;
  const values = factsOf(entity, { qualifier, value, param: `${param}_facts` });
  return values.size === 0 ? undefined : { values, members: membersQuery(state, hierarchy) };
}

/** The nodes that instances are, and their parents, siblings in the order of the instances. */
function membersQuery(state: Instances, hierarchy: RecHierReference): TreeSelect {
  const { from, where, search, orderBy = [], scope } = state;
  const { node, parent } = annotated(scope.entity, hierarchy);
  const columns = [asColumn(reference([node]), "node"), asColumn(reference(parent), "parent")];
  const order = [...orderBy, { ...reference([node]), sort: "asc" as const }];
  return select({ from, columns, localized: true, bounded: true, where, search, orderBy: order });
}

/** The query of the nodes above or below those that `ancestors` and `descendants` start at. */
function relatedNodes(
  state: Instances,
  trafo: Hierarchy,
  { run, param }: { readonly run: RunInner; readonly param: string },
): TreeSelect {
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
  const where = isIn(reference([from]), select(start));
  return select({ from: pairs, columns: [reference([to])], where });
}

/** The order in which nodes stand in the text with all of them. */
function inOrder(param: string, value: Expr): readonly TreeOrder[] {
  const separator = literal(SEPARATOR);
  const place = call("concat", [separator, told(value, "cds.String"), separator]);
  return [{ ...call("indexof", [parameter(`${param}_order`), place]), sort: "asc" }];
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
): TreeSelect {
  const { entity, ref } = nodesSource(hierarchy, scope);
  const { node, parent } = annotated(entity, hierarchy);
  const inner = scopeOfRow(entity, scope);
  const all: Instances = { kind: "rows", from: reference(ref), scope: inner };
  const rows = trafos ? settled(uncut(run(trafos, all))) : all;
  if (!isInstances(rows)) throw notImplemented("Groups as nodes of a hierarchy", hierarchy.nodes.offset);
  const columns = [asColumn(reference([node]), "node"), asColumn(reference(parent), "parent")];
  const { from, where, search } = rows;
  const orderBy = planOrderby(orderby, inner, true);
  const query = select({ from, columns, localized: true, bounded: true, where, search, orderBy });
  return namedRows(query, all.from, inner.row);
}

/** The nodes that `ancestors` and `descendants` start at. */
function startQuery(given: Rows, { hierarchy, trafos, offset }: Hierarchy, run: RunInner): TreeSelect {
  const state = settled(uncut(run(trafos!, given))); // the grammar wants them
  if (!isInstances(state)) throw notImplemented("Groups as start nodes of a hierarchy", offset);
  const { from, where, search, scope } = state;
  const columns = [asColumn(planValue(hierarchy.property, scope).expr, "node")];
  return select({ from, columns, distinct: true, localized: true, bounded: true, where, search });
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
export function pairsSource(param: string, { item, as, type }: PairsPlace): TreeSource {
  const member = (name: string) => {
    return asColumn(told(call("$member", [reference([item, "value"]), alias(name)]), type), name);
  };
  const from = { ...reference([{ id: "$rows", rows: parameter(param) }]), as: item };
  return { ...select({ from, columns: [member("node"), member("below")] }), as };
}
