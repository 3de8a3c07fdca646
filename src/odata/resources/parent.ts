/**
 * The instance a navigation starts at.
 *
 * @module
 */

import type { Row, SelectQuery } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { foreignKeyLinks, type Link, linksOf } from "../../model/links.ts";
import { restrictedRead } from "../../service/authorization/restricted_read.ts";
import { addressedKeys } from "../../service/requests/addressed_keys.ts";
import type { Exchange } from "../exchange.ts";
import type { NavigationStep, Plan } from "../plan/plan.ts";
import { keyNames } from "../../model/keys.ts";

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
  const keys = keyNames(navigation.source);
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
  const links = childLinks(navigation.element);
  const parent = !exchange.scope.host.db || isSkipped(navigation.source)
    ? keysInPath(navigation)
    : await readParent(exchange, navigation, links.map(({ source }) => source));
  const known = links.filter(({ source }) => parent[source] !== undefined);
  return Object.fromEntries(known.map(({ source, target }) => [target, parent[source]]));
}

/** Of an instance without table its keys are known, where the path ends with them. */
function keysInPath({ subject, source }: NavigationStep): Row {
  const last = subject.ref.at(-1);
  const where = typeof last === "object" ? last.where : undefined;
  return where && addressedKeys({ SELECT: { from: { ref: [source.name] }, where } }, source) || {};
}

/** The columns of the child that hold columns of the parent; none where the parent holds those of the child. */
export function childLinks(element: LinkedElement): readonly Link[] {
  return foreignKeyLinks(element).length > 0 || element.isManaged ? [] : linksOf(element).pairs;
}

/** The foreign keys of a row that belongs to no other row any more. */
export function unlinked(links: readonly Link[]): Row {
  return Object.fromEntries(links.map(({ target }) => [target, null]));
}
