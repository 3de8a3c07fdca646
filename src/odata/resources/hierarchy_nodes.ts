/**
 * Which nodes of a hierarchy are above or below others, and in which order they are traversed.
 *
 * @module
 */

/** The key of a node. */
export type Node = string | number;

/** Parents by node, siblings in order; null for roots. */
export type Hierarchy = ReadonlyMap<Node, Node | null>;

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
export function related(hierarchy: Hierarchy, starts: readonly Node[], reach: Reach): readonly Node[] {
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
export function traversed(hierarchy: Hierarchy, order: "preorder" | "postorder"): readonly Node[] {
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
