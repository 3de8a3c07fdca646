import { factsText, type NodeFacts } from "../plan/apply/hierarchy_facts.ts";
import type { HierarchyStep, LevelChanges } from "../plan/query_inputs.ts";
import type { QueryParams, Row, SelectQuery } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { Exchange } from "../exchange.ts";
import { assertDatabase, visibleRows } from "./read_request.ts";

/** The key of a node. */
type Node = string | number;

/** Parents by node, siblings in order; null for roots. */
type Hierarchy = ReadonlyMap<Node, Node | null>;

/** How far nodes are followed. */
export interface Reach {
  readonly name: string;
  readonly distance?: number;
  readonly keepStart?: boolean;
}

/**
 * The ancestors or descendants of nodes.
 *
 * @param hierarchy the nodes
 * @param starts where to start; others than nodes of the hierarchy are passed over
 * @param reach direction, distance, and whether the start is kept
 * @returns nodes, each once
 */
function related(hierarchy: Hierarchy, starts: readonly Node[], reach: Reach): readonly Node[] {
  const { name, distance = Infinity, keepStart = false } = reach;
  const next = name === "ancestors" ? parentsIn(hierarchy) : childrenIn(hierarchy);
  const known = starts.filter((node) => hierarchy.has(node));
  const found = new Set<Node>(keepStart ? known : []);
  const visited = new Set<Node>(known);
  let level = [...visited];
  for (let steps = 0; steps < distance && level.length > 0; steps++) {
    const reached = level.flatMap(next);
    for (const node of reached) found.add(node);
    level = [...new Set(reached)].filter((node) => !visited.has(node));
    for (const node of level) visited.add(node);
  }
  return [...found];
}

/**
 * The nodes in order: each before its children, or behind them. Nodes that no root leads to are left out.
 *
 * @param hierarchy the nodes
 * @param order the order
 */
function traversed(hierarchy: Hierarchy, order: "preorder" | "postorder"): readonly Node[] {
  const children = childrenIn(hierarchy);
  const roots = [...hierarchy].filter(([, parent]) => parent === null || !hierarchy.has(parent));
  const result: Node[] = [];
  // Preorder with the last sibling first is postorder in reverse.
  const stack = roots.map(([node]) => node);
  const isPre = order === "preorder";
  if (isPre) stack.reverse();
  while (stack.length > 0) {
    const node = stack.pop()!;
    result.push(node);
    stack.push(...isPre ? children(node).toReversed() : children(node));
  }
  return isPre ? result : result.reverse();
}

/** Which levels are shown. */
export interface ShownLevels {
  /** Levels from the roots; undefined for all. */
  readonly levels?: number | undefined;
  readonly changes: LevelChanges;
}

/**
 * The nodes of the first levels, in preorder; nodes below which more or less is shown change it.
 *
 * @param hierarchy the nodes
 * @param shown the levels
 */
export function topLevels(
  hierarchy: Hierarchy,
  { levels = Infinity, changes }: ShownLevels,
): readonly Node[] {
  const below = new Map(changes.levels.map(({ node, below }) => [node, below ?? Infinity]));
  const parents = parentsIn(hierarchy);
  const order = traversed(hierarchy, "preorder");
  const left = new Map<Node, number>();
  for (const node of order) {
    const [parent] = parents(node);
    const inherited = parent === undefined ? levels - 1 : left.get(parent)! - 1; // parents come first
    left.set(node, inherited < 0 ? inherited : below.get(String(node)) ?? inherited);
  }
  const wanted = new Set(changes.shown);
  const extra = new Set<Node | undefined>(order.filter((node) => wanted.has(String(node))));
  // children come first
  for (const node of order.toReversed()) if (extra.has(node)) extra.add(parents(node)[0]);
  const isShown = (node: Node) => {
    const [parent] = parents(node);
    return parent === undefined || extra.has(node) || left.get(parent)! > 0;
  };
  return order.filter(isShown);
}

/** The nodes that a transformation leaves, and those that it would leave without limits of distance. */
interface LeftNodes {
  readonly limited: readonly Node[];
  readonly unlimited: readonly Node[];
}

/**
 * What is so of each node that a transformation leaves.
 *
 * @param members the nodes before
 * @param left those that are left
 */
function factsOfNodes(members: Hierarchy, left: LeftNodes): ReadonlyMap<Node, NodeFacts> {
  const [limited, unlimited] = [new Set(left.limited), new Set(left.unlimited)];
  const parents = parentsIn(members);
  const order = traversed(members, "preorder");
  const distances = new Map<Node, number>();
  const ranks = new Map<Node, number>();
  const siblings = new Map<Node, number>();
  const children = new Map<Node | undefined, number>();
  for (const node of order) {
    const [parent] = parents(node);
    distances.set(node, parent === undefined ? 0 : distances.get(parent)! + 1); // parents come first
    if (limited.has(node)) ranks.set(node, ranks.size);
    if (!unlimited.has(node)) continue;
    siblings.set(node, children.get(parent) ?? 0);
    children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  const below = countsBelow(order, parents, unlimited);
  const shown = countsBelow(order, parents, limited);
  return new Map(left.limited.map((node) => [node, {
    LimitedRank: ranks.get(node) ?? 0,
    LimitedDescendantCount: shown.get(node) ?? 0,
    DistanceFromRoot: distances.get(node) ?? 0,
    ChildCount: children.get(node) ?? 0,
    DescendantCount: below.get(node) ?? 0,
    SiblingRank: siblings.get(node) ?? 0,
    DrillState: shown.has(node) ? "expanded" : below.has(node) ? "collapsed" : "leaf",
  }]));
}

/** How many of some nodes are below others of them; nodes without any are left out. */
function countsBelow(
  order: readonly Node[],
  parents: (node: Node) => readonly Node[],
  among: ReadonlySet<Node>,
): ReadonlyMap<Node, number> {
  const counts = new Map<Node, number>();
  for (const node of order.toReversed()) {
    const [parent] = parents(node);
    if (parent === undefined || !among.has(node) || !among.has(parent)) continue;
    counts.set(parent, (counts.get(parent) ?? 0) + (counts.get(node) ?? 0) + 1);
  }
  return counts;
}

/** A node and one that is below it. */
export interface NodePair {
  readonly node: Node;
  readonly below: Node;
}

/**
 * Each node beside all nodes below it; nodes that no root leads to are left out.
 *
 * @param hierarchy the nodes
 * @param most how many pairs there may be
 * @param reach the distance, and whether each node stands beside itself
 * @returns undefined if there are more
 */
export function pairsOf(
  hierarchy: Hierarchy,
  most: number,
  { distance = Infinity, keepStart = false }: Omit<Reach, "name">,
): readonly NodePair[] | undefined {
  const parents = parentsIn(hierarchy);
  const pairs: NodePair[] = [];
  for (const below of traversed(hierarchy, "preorder")) {
    let node: Node | undefined = below;
    for (let steps = 0; node !== undefined && steps <= distance; steps++) {
      if (pairs.length === most) return undefined;
      if (steps > 0 || keepStart) pairs.push({ node, below });
      node = parents(node)[0];
    }
  }
  return pairs;
}

function parentsIn(hierarchy: Hierarchy): (node: Node) => readonly Node[] {
  return (node) => {
    const parent = hierarchy.get(node) ?? null;
    return parent !== null && hierarchy.has(parent) ? [parent] : [];
  };
}

function childrenIn(hierarchy: Hierarchy): (node: Node) => readonly Node[] {
  const children = Map.groupBy(hierarchy, ([, parent]) => parent);
  return (node) => (children.get(node) ?? []).map(([child]) => child);
}

/**
 * Parameters with the nodes of hierarchies. Only nodes that the user may see are part of a hierarchy.
 *
 * @param exchange the exchange, inside of its transaction
 * @param hierarchies the nodes that a query needs
 * @param params its other parameters
 * @throws {ServiceError} 400 for more nodes than the limit, 401 or 403 without the role to read them
 */
export async function withNodes(
  exchange: Exchange,
  hierarchies: readonly HierarchyStep[],
  params: QueryParams,
): Promise<QueryParams> {
  let queryParams = params;
  const sizes = new Map<string, number>();
  for (const step of hierarchies) {
    const hierarchy = hierarchyOf(await read(exchange, step.nodes, queryParams));
    if (step.beside !== undefined) {
      const size = (sizes.get(step.beside) ?? 1) * hierarchy.size;
      assertFewNodes(exchange, size, "The hierarchies, beside each other, have");
      sizes.set(step.beside, size);
    }
    queryParams = { ...queryParams, ...await nodesOf(exchange, step, { hierarchy, params: queryParams }) };
  }
  return queryParams;
}

async function nodesOf(
  exchange: Exchange,
  step: HierarchyStep,
  { hierarchy, params }: { readonly hierarchy: Hierarchy; readonly params: QueryParams },
): Promise<QueryParams> {
  const { param, start, order, separator } = step;
  if (step.name === "pairs") return { [param]: pairsText(exchange, hierarchy, step) };
  const starts = start ? (await read(exchange, start, params)).map(({ node }) => node as Node) : [];
  const left = leftNodes(step, { hierarchy, starts });
  const nodes = left.limited;
  const facts = step.members && await factsIn(exchange, step.members, { left, params });
  return {
    [param]: nodes,
    ...(order || step.changes
      ? { [`${param}_order`]: `${separator}${nodes.join(separator)}${separator}` }
      : {}),
    ...(facts === undefined ? {} : { [`${param}_facts`]: facts }),
  };
}

/** Which nodes a transformation leaves. */
function leftNodes(
  step: HierarchyStep,
  { hierarchy, starts }: { readonly hierarchy: Hierarchy; readonly starts: readonly Node[] },
): LeftNodes {
  const { name, levels, changes, order } = step;
  if (name === "ancestors" || name === "descendants") {
    const limited = related(hierarchy, starts, step);
    if (step.distance === undefined) return { limited, unlimited: limited };
    return { limited, unlimited: related(hierarchy, starts, { ...step, distance: Infinity }) };
  }
  const unlimited = traversed(hierarchy, order ?? "preorder");
  return { unlimited, limited: changes ? topLevels(hierarchy, { levels, changes }) : unlimited };
}

/** What is so of the nodes that are left of those that were there before, as text. */
async function factsIn(
  exchange: Exchange,
  members: SelectQuery,
  { left, params }: { readonly left: LeftNodes; readonly params: QueryParams },
): Promise<string> {
  const before = hierarchyOf(await read(exchange, members, params));
  const isThere = (node: Node) => before.has(node);
  const there = { limited: left.limited.filter(isThere), unlimited: left.unlimited.filter(isThere) };
  return factsText(factsOfNodes(before, there));
}

/** Pairs of nodes for each node of a hierarchy at most; only very deep ones have more. */
const MOST_PAIRS = 32;

function pairsText(exchange: Exchange, hierarchy: Hierarchy, reach: HierarchyStep): string {
  const most = exchange.scope.host.limits.hierarchyNodes * MOST_PAIRS;
  const pairs = pairsOf(hierarchy, most, reach);
  if (pairs) return JSON.stringify(pairs);
  const message = `A hierarchy has more than ${most} pairs of a node and one below`;
  throw new ServiceError({ status: 400, code: "400", message });
}

function hierarchyOf(rows: readonly Row[]): Hierarchy {
  return new Map(rows.map(({ node, parent }) => [node as string, parent as string | null]));
}

async function read(exchange: Exchange, query: SelectQuery, params: QueryParams): Promise<readonly Row[]> {
  assertDatabase(exchange, "Hierarchies need");
  const most = exchange.scope.host.limits.hierarchyNodes;
  const limited = { SELECT: { ...query.SELECT, limit: { rows: { val: most + 1 } } } };
  const rows = await visibleRows(exchange, limited, params);
  assertFewNodes(exchange, rows.length, "A hierarchy has");
  return rows;
}

function assertFewNodes({ scope }: Exchange, size: number, subject: string): void {
  const most = scope.host.limits.hierarchyNodes;
  if (size <= most) return;
  throw new ServiceError({ status: 400, code: "400", message: `${subject} more than ${most} nodes` });
}
