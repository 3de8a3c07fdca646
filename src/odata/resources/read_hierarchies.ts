/**
 * Nodes of recursive hierarchies that a query needs as parameters (Data Aggregation 4.0, 6.2).
 *
 * @module
 */

import type { QueryParams, Row, SelectQuery } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { restrictedRead } from "../../service/authorization/restricted_read.ts";
import type { Exchange } from "../exchange.ts";
import type { HierarchyStep, Plan } from "../plan/plan.ts";
import {
  factsOfNodes,
  type Hierarchy,
  type LeftNodes,
  type Node,
  pairsOf,
  related,
  topLevels,
  traversed,
} from "./hierarchy_nodes.ts";
import { factsText } from "../plan/apply/hierarchy_facts.ts";

/**
 * The plan with the nodes among its parameters. Only nodes that the user may see are part of a hierarchy.
 *
 * @param exchange the exchange, inside of its transaction
 * @param plan the plan of the URL
 * @returns the same plan if it needs no nodes
 * @throws {ServiceError} 400 for more nodes than the limit, 401 or 403 without the role to read them
 */
export async function withNodes(exchange: Exchange, plan: Plan): Promise<Plan> {
  if (plan.hierarchies === undefined) return plan;
  let queryParams: QueryParams = plan.queryParams;
  const sizes = new Map<string, number>();
  for (const step of plan.hierarchies) {
    const hierarchy = hierarchyOf(await read(exchange, step.nodes, queryParams));
    if (step.beside !== undefined) {
      const size = (sizes.get(step.beside) ?? 1) * hierarchy.size;
      assertFewNodes(exchange, size, "The hierarchies, beside each other, have");
      sizes.set(step.beside, size);
    }
    queryParams = { ...queryParams, ...await nodesOf(exchange, step, { hierarchy, params: queryParams }) };
  }
  return { ...plan, queryParams };
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
  const { host: { db, limits } } = exchange.scope;
  if (!db) throw new ServiceError({ status: 501, message: "Hierarchies need a database", $sanitize: false });
  const most = limits.hierarchyNodes;
  const limited = { SELECT: { ...query.SELECT, limit: { rows: { val: most + 1 } } } };
  const rows = await db.run(restrictedRead(limited, exchange.context, exchange.scope), params) as Row[];
  assertFewNodes(exchange, rows.length, "A hierarchy has");
  return rows;
}

function assertFewNodes({ scope }: Exchange, size: number, subject: string): void {
  const most = scope.host.limits.hierarchyNodes;
  if (size <= most) return;
  throw new ServiceError({ status: 400, code: "400", message: `${subject} more than ${most} nodes` });
}
