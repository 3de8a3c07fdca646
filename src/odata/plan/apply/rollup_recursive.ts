/**
 * `rolluprecursive`: a group for each node of a recursive hierarchy, of the instances that are related to it or to a node
 * below (Data Aggregation 4.0, 6.3). Which nodes are below which is found out before the query runs
 * (`resources/hierarchy_nodes.ts`); the query joins the pairs, the nodes and the instances.
 *
 * @module
 */

import { allOf, column, compare, isNull, join, reference, select } from "../../../algebra/build.ts";
import type { TreeSource, TreeStep } from "../../../algebra/tree.ts";
import type { LinkedEntity } from "../../../model/linked.ts";
import type { GroupbyElement, RecHierReference } from "../../url/ast.ts";
import { notImplemented } from "../plan_error.ts";
import { planValue } from "../expressions/plan_expression.ts";
import { searchOf } from "../expressions/plan_collection.ts";
import type { RollupNode, Scope } from "../scope.ts";
import type { Key } from "./grouping.ts";
import { annotated, nodesQuery, nodesSource, pairsSource } from "./hierarchy.ts";
import type { RunInner } from "./join.ts";
import {
  asColumn,
  flatProperties,
  type Instances,
  isCut,
  isInstances,
  keyNames,
  type Property,
  type Rows,
  settled,
  type State,
  type Table,
  uncut,
} from "./state.ts";

type Rollup = Extract<GroupbyElement, { kind: "rollupRecursive" }>;

/** Instances beside the nodes that they count for. */
export interface RolledUp {
  readonly state: Rows;
  /** The properties of the nodes, which make the groups. */
  readonly keys: readonly Key[];
  /** Puts the properties of the nodes at their place in the rows that the transformations of the groups made. */
  readonly placed: (table: Table) => Table;
}

/** How instances are rolled up. */
export interface RollupPlace {
  /** Runs transformations of the nodes. */
  readonly run: RunInner;
  /** Nothing else makes groups: nodes without instances have one, too. */
  readonly isAlone: boolean;
}

/**
 * Puts the nodes of hierarchies beside the instances that are related to them or to nodes below: of several hierarchies,
 * a node of each.
 *
 * @param given the instances
 * @param elements the operators
 * @param place how they are rolled up
 * @returns the instances with their nodes
 * @throws {ServiceError} 400 if there is no such hierarchy, 501 for instances that are no entities and paths that lead on
 */
export function rolledUp(given: State, elements: readonly Rollup[], { run, isAlone }: RollupPlace): RolledUp {
  const whole = settled(isCut(given) ? uncut(given) : given);
  const { offset } = elements[0]!; // the caller has one
  if (!isInstances(whole)) throw notImplemented("rolluprecursive of rows that are no entities", offset);
  const { scope } = whole;
  const [presence] = keyNames(whole);
  if (presence === undefined) throw notImplemented("rolluprecursive of entities without key", offset);
  const row = scope.row.name ??= scope.bindings.rowName();
  const beside = elements.length > 1 ? row : undefined;
  const hierarchies = elements.map((element) => rolledHierarchy(element, scope, { run, beside }));
  const [first, ...others] = hierarchies.map(({ table }) => table.source);
  const nodes: TreeSource = others.length === 0
    ? first!
    : { kind: "join", join: "cross", args: [first!, ...others] };
  const from: TreeSource = {
    kind: "join",
    join: "left",
    args: [nodes, instancesAs(row, whole)],
    on: join(
      "and",
      hierarchies.map(({ table, path }) =>
        compare(reference([row, ...path]), "=", column(table.alias, BELOW))
      ),
    ),
  };
  const isThere = isNull(column(row, presence), true);
  const { where: _where, search: _search, ...rest } = whole;
  const shown = hierarchies.flatMap((one) => one.shown);
  const rollups = hierarchies.map(({ table: { alias, entity } }): RollupNode => ({ alias, entity }));
  return {
    state: {
      ...rest,
      from,
      scope: { ...scope, rollups },
      nodes: shown,
      ...(isAlone ? { when: isThere } : { where: isThere }),
    },
    keys: shown.map(({ path, value, element }) => ({ path, value, ...(element && { element }) })),
    placed: (of) =>
      hierarchies.reduce((table, one) => placed(table, one.table.alias, one.target), withoutNodes(of)),
  };
}

/** A hierarchy beside the instances. */
interface RolledHierarchy {
  readonly table: NodesTable;
  /** The way from an instance to its node. */
  readonly path: readonly TreeStep[];
  /** The properties of nodes that rows have, and where they stand. */
  readonly shown: readonly Property[];
  readonly target: readonly string[];
}

function rolledHierarchy(
  { hierarchy, trafos }: Rollup,
  scope: Scope,
  { run, beside }: { readonly run: RunInner; readonly beside: string | undefined },
): RolledHierarchy {
  const { bindings, entity } = scope;
  const param = bindings.nodesName();
  const nodes = nodesQuery({ hierarchy, trafos }, scope, run);
  const step = { name: "pairs", param, nodes, keepStart: true, separator: "" } as const;
  bindings.hierarchies.push({ ...step, ...(beside !== undefined && { beside }) });
  const table = nodesTable(hierarchy, scope, param);
  const target = targetOf(hierarchy, { entity, nodes: table.entity, node: table.node });
  return {
    table,
    path: pathTo(hierarchy, scope),
    shown: target === undefined
      ? table.properties.filter(({ path }) => path.at(-1) === table.node)
      : table.properties,
    target: target ?? namesOf(hierarchy).slice(0, -1),
  };
}

/** Behind the groups their nodes are not known any more. */
function withoutNodes(table: Table): Table {
  const { rollups: _rollups, ...base } = table.base;
  return { ...table, base };
}

/** The column with the node that instances are related to. */
const BELOW = "$below";

interface NodesTable {
  readonly source: TreeSource;
  readonly alias: string;
  readonly entity: LinkedEntity;
  /** The property that names a node. */
  readonly node: string;
  readonly properties: readonly Property[];
}

/** Each node with its properties beside each one below; names of columns are none of the instances. */
function nodesTable(hierarchy: RecHierReference, scope: Scope, param: string): NodesTable {
  const { bindings } = scope;
  const { entity, ref } = nodesSource(hierarchy, scope);
  if (ref.length > 1) {
    throw notImplemented("This collection of nodes in rolluprecursive", hierarchy.nodes.offset);
  }
  const { node } = annotated(entity, hierarchy);
  const alias = bindings.rowName();
  const [pairs, found] = [`${alias}$pairs`, `${alias}$node`];
  const properties = flatProperties(entity, { ref: [found], path: [alias] });
  const columns = [
    asColumn(column(pairs, "below"), BELOW),
    ...properties.map(({ name, value }) => asColumn(value.expr, name)),
  ];
  const type = entity.$flat.get(node)!.element.$type.builtin!;
  const from: TreeSource = {
    kind: "join",
    join: "inner",
    args: [
      pairsSource(param, { item: bindings.itemName(), as: pairs, type }),
      { ...reference([entity.name]), as: found },
    ],
    on: compare(column(found, node), "=", column(pairs, "node")),
  };
  const source = { ...select({ from, columns }), as: alias };
  return {
    source,
    alias,
    entity,
    node,
    properties: properties.map((property) => ({
      ...property,
      value: { ...property.value, expr: column(alias, property.name) },
    })),
  };
}

/** The instances with their conditions, under a name. */
function instancesAs(name: string, { from, where, search, scope }: Instances): TreeSource {
  const steps = from.ref;
  const last = steps.at(-1)!;
  const step = typeof last === "string" ? { id: last } : last;
  const conditions = allOf([step.where, where, search && searchOf(search, scope.entity)]);
  const named: TreeStep = conditions ? { ...step, as: name, where: conditions } : last;
  return { ...reference([...steps.slice(0, -1), named]), as: name };
}

/** The way from an instance to its node: a property of it, or the key of what it is associated with. */
function pathTo({ property }: RecHierReference, scope: Scope): readonly TreeStep[] {
  const { expr } = planValue(property, { ...scope, row: {} });
  if (expr.kind === "reference") return expr.ref;
  throw notImplemented("This path in rolluprecursive", property.offset);
}

function namesOf({ property }: RecHierReference): readonly string[] {
  return property.steps.map((step) => step.kind === "memberName" ? step.name : "");
}

interface Ends {
  readonly entity: LinkedEntity;
  readonly nodes: LinkedEntity;
  readonly node: string;
}

/**
 * Where the properties of nodes stand in rows: in their place where the instances are the nodes, behind the navigation
 * property that leads to them; undefined where only their names are known, not a way (6.2.2).
 */
function targetOf(hierarchy: RecHierReference, { entity, nodes, node }: Ends): readonly string[] | undefined {
  const names = namesOf(hierarchy);
  if (names.at(-1) !== node) return undefined;
  const way = names.slice(0, -1);
  const end = way.reduce<LinkedEntity | undefined>((at, name) => at?.elements[name]?.$target, entity);
  return end === nodes ? way : undefined;
}

/** Properties of the nodes take the place of others of the same path. */
function placed(table: Table, prefix: string, target: readonly string[]): Table {
  const isOfNode = ({ path }: Property) => path[0] === prefix;
  const own = table.properties.filter(isOfNode).map((property) => ({
    ...property,
    path: [...target, ...property.path.slice(1)],
  }));
  const taken = new Set(own.map(({ path }) => path.join("/")));
  const others = table.properties.filter((property) =>
    !isOfNode(property) && !taken.has(property.path.join("/"))
  );
  return { ...table, properties: [...own, ...others] };
}
