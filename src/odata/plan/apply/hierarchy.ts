/**
 * `ancestors`, `descendants` and `traverse` over recursive hierarchies (Data Aggregation 4.0, 5.5.2 and 6.2). Which nodes
 * they mean is found out before the query runs (`resources/read_hierarchies.ts`); the query has them as parameters.
 *
 * @module
 */

import type { CastType, Expression, RefExpression, SelectQuery } from "../../../cqn/cqn.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import type { ApplyTrafo, RecHierReference } from "../../url/ast.ts";
import { conjunction } from "../../../cqn/conjunction.ts";
import { namedRows } from "../named_rows.ts";
import { badRequest, notImplemented, unknownName } from "../plan_error.ts";
import { planValue } from "../expressions/plan_expression.ts";
import { planOrderby } from "../options/plan_orderby.ts";
import type { Scope } from "../scope.ts";
import type { RunInner } from "./join.ts";
import { pathText } from "./annotations.ts";
import { pairsSource } from "./node_pairs.ts";
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
  const nodes: RefExpression = { ref: [param], param: true };
  scope.bindings.hierarchies.push({
    name,
    param,
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
  const kept = { ...state, where: conjunction(state.where, [value, "in", nodes]) };
  if (name !== "traverse") return kept;
  const order: RefExpression = { ref: [`${param}_order`], param: true };
  return { ...kept, orderBy: [{ ...positionIn(order, value), sort: "asc" }] };
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
  const entity = nodesEntity(hierarchy, state.scope);
  const type = entity.$flat.get(annotated(entity, hierarchy).node)!.element.$type.builtin!;
  const pairs = pairsSource(param, { item: bindings.itemName(), as: bindings.rowName(), type });
  const [from, to] = name === "ancestors" ? ["below", "node"] as const : ["node", "below"] as const;
  const { SELECT: { localized: _localized, ...start } } = startQuery(state, trafo, run);
  return {
    SELECT: { from: pairs, columns: [{ ref: [to] }], where: [{ ref: [from] }, "in", { SELECT: start }] },
  };
}

/** Where a node stands in the text with all nodes in order. */
function positionIn(order: RefExpression, value: Expression): Expression {
  const separator = { val: SEPARATOR };
  const text: Expression & { readonly cast: CastType } = { ...value, cast: { type: "cds.String" } };
  return { func: "indexof", args: [order, { func: "concat", args: [separator, text, separator] }] };
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
  const entity = nodesEntity(hierarchy, scope);
  const { node, parent } = annotated(entity, hierarchy);
  const { bindings, aliases, index } = scope;
  const inner: Scope = { entity, bindings, aliases, index, computed: new Map(), row: {} };
  const all: Instances = { kind: "rows", from: { ref: [entity.name] }, scope: inner };
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
 * The entity of the nodes: that of `$root/Set`.
 *
 * @param hierarchy the hierarchy
 * @param scope has the entity sets
 */
export function nodesEntity({ nodes }: RecHierReference, { index }: Scope): LinkedEntity {
  const [step, more] = nodes.kind === "memberExpr" && nodes.root === "$root" ? nodes.steps : [];
  if (step?.kind !== "memberName" || more || step.parens.length > 0 || index === undefined) {
    throw badRequest('"$root/" and an entity set are expected', nodes.offset);
  }
  const entity = index.entitySets.get(step.name);
  if (entity !== undefined) return entity;
  const { name, offset } = step;
  throw unknownName({
    name,
    offset,
    what: "entity set",
    owner: index.service.name,
    known: index.entitySets.keys(),
  });
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
  const name = `@Aggregation.RecursiveHierarchy#${qualifier}` as const;
  const whole = entity[name] as Readonly<Record<string, unknown>> | undefined;
  const member = (key: string) => pathText(whole?.[key] ?? entity[`${name}.${key}`]);
  const [node, navigation] = [member("NodeProperty"), member("ParentNavigationProperty")];
  const association = entity.elements[navigation];
  if (!entity.$flat.has(node) || !association?.$target) {
    throw badRequest(`"${entity.name}" has no recursive hierarchy "${qualifier}"`, property.offset);
  }
  if (association.is2many) throw notImplemented("A hierarchy of nodes with several parents", property.offset);
  return { node, parent: [navigation, node] };
}
