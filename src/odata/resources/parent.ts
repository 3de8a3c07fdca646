/**
 * The instance a navigation starts at.
 *
 * @module
 */

import type { Row, SelectQuery, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { restrictedRead } from "../../service/authorization/restricted_read.ts";
import type { Exchange } from "../exchange.ts";
import type { NavigationStep, Plan } from "../plan/plan.ts";

/**
 * Makes sure that the instance exists from which a path navigates to what turned out to be empty.
 *
 * @throws ServiceError 404 when it does not
 */
export async function assertParent(exchange: Exchange, plan: Plan): Promise<void> {
  const { db } = exchange.scope.host;
  if (!plan.navigation || !db || isSkipped(plan.navigation.source)) return;
  await readParent(exchange, plan.navigation, []);
}

function isSkipped(entity: LinkedEntity): boolean {
  return entity["@cds.persistence.skip"] === true;
}

/** Elements of the instance by flat name; its keys in any case. */
async function readParent(
  exchange: Exchange,
  navigation: NavigationStep,
  names: readonly string[],
): Promise<Row> {
  const keys = navigation.source.$flatKeys.filter((key) => !key.virtual).map((key) => key.name);
  const columns = [...new Set([...keys, ...names])].map((name) => ({ ref: [name] }));
  const query: SelectQuery = { SELECT: { one: true, from: navigation.subject, columns } };
  // a hidden parent is as if it were missing
  const restricted = restrictedRead(query, exchange.context, exchange.scope);
  const row = await exchange.scope.host.db!.run(restricted);
  if (!row || typeof row !== "object") throw new ServiceError({ status: 404 });
  return row as Row;
}

/**
 * What ties a new row to the instance it is created under: its foreign keys.
 *
 * @param exchange the exchange
 * @param navigation the navigation that leads to the new row
 * @throws ServiceError 404 when the instance does not exist
 */
export async function parentLinks(exchange: Exchange, navigation: NavigationStep): Promise<Row> {
  if (!exchange.scope.host.db || isSkipped(navigation.source)) return {};
  const pairs = linkPairs(navigation.element);
  const parent = await readParent(exchange, navigation, pairs.map((pair) => pair.parent));
  return Object.fromEntries(pairs.map((pair) => [pair.child, parent[pair.parent]]));
}

/** A foreign key in the child and the element of the parent it holds. */
interface LinkPair {
  readonly child: string;
  readonly parent: string;
}

/** The pairs that the condition of an association equates. */
export function linkPairs(element: LinkedElement): LinkPair[] {
  const target = element.$target;
  if (!target || !element.on) return [];
  const pairs: LinkPair[] = [];
  for (let at = 1; at < element.on.length - 1; at++) {
    if (element.on[at] !== "=") continue;
    const sides = [refOf(element.on[at - 1]), refOf(element.on[at + 1])];
    const child = sides.find((ref) => ref?.[0] === element.name)?.slice(1);
    const other = sides.find((ref) => ref && ref[0] !== element.name);
    if (!child || !other) continue;
    if (other[0] === "$self" && other.length === 1) pairs.push(...backLinkPairs(target, child));
    else pairs.push({ child: child.join("_"), parent: other.filter((step) => step !== "$self").join("_") });
  }
  return pairs;
}

function backLinkPairs(target: LinkedEntity, path: readonly string[]): LinkPair[] {
  const name = path.join("_");
  const association = Object.hasOwn(target.elements, name) ? target.elements[name] : undefined;
  return (association?.$foreignKeys ?? []).map((key) => ({ child: key.name, parent: key.target }));
}

function refOf(operand: Xo | undefined): readonly string[] | undefined {
  if (typeof operand !== "object" || !("ref" in operand) || !operand.ref) return undefined;
  return operand.ref.map((step) => typeof step === "string" ? step : step.id);
}
