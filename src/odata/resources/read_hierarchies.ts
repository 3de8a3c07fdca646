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
import { type Hierarchy, pairsOf, related, traversed } from "./hierarchy_nodes.ts";

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
  if (start === undefined) {
    const nodes = traversed(hierarchy, order ?? "preorder");
    return { [param]: nodes, [`${param}_order`]: `${separator}${nodes.join(separator)}${separator}` };
  }
  const starts = (await read(exchange, start, params)).map(({ node }) => node as string | number);
  return { [param]: related(hierarchy, starts, step) };
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
