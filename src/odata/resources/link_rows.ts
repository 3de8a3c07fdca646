import type { RefExpression, Row, Xo } from "../../cqn/cqn.ts";
import { deltaRows } from "../../cqn/entries_of.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { foreignKeyLinks, type Link, linksOf, type Through, throughOf } from "../../model/links.ts";
import { dispatch, type Exchange } from "../exchange.ts";
import { equalities } from "../../cqn/conjunction.ts";
import { addressedKeys } from "../../service/requests/addressed_keys.ts";
import type { EntityPlan, NavigationStep } from "../plan/plan.ts";
import { keyNames } from "../../model/keys.ts";
import { visibleRows } from "./read_request.ts";

/** What changes of the links of a row. */
export interface LinkChange {
  /** The row that has the association. */
  readonly source: LinkedEntity;
  readonly subject: RefExpression;
  /** The association. */
  readonly element: LinkedElement;
  /** Keys of rows to link. */
  readonly added?: readonly Row[];
  /** Keys of rows to part. */
  readonly removed?: readonly Row[];
}

/**
 * Links rows along an association of many to many, or parts them; runs inside a transaction.
 *
 * @param exchange the exchange
 * @param change the association and the rows
 * @throws ServiceError 404 when a row to link does not exist for the caller
 */
export async function changeLinks(exchange: Exchange, change: LinkChange): Promise<void> {
  const { source, subject, element, added = [], removed = [] } = change;
  const through = throughOf(element)!; // the callers have checked it
  for (const keys of added) await assertExists(exchange, element.$target!, keys);
  const rows = deltaRows(
    added.map((keys) => linkRow(through, keys)),
    removed.map((keys) => linkRow(through, keys)),
  );
  const data: Row = { [through.links.name]: rows };
  await dispatchChange(exchange, { target: source, subject, data });
}

/** A row, its new values, and a condition that it has to meet. */
export interface RowChange {
  readonly target: LinkedEntity;
  readonly subject: RefExpression;
  readonly data: Row;
  readonly where?: readonly Xo[] | undefined;
}

/** Has the service change values of a row. */
export async function dispatchChange(exchange: Exchange, change: RowChange): Promise<void> {
  const { target, subject, data, where } = change;
  const query = { UPDATE: { entity: subject, data, ...(where && { where }) } };
  await dispatch(exchange, { event: "UPDATE", data, query, target, subject, path: target.name });
}

function linkRow({ target }: Through, keys: Row): Row {
  return Object.fromEntries((target.$foreignKeys ?? []).map(({ name, target }) => [name, keys[target]]));
}

async function assertExists(exchange: Exchange, entity: LinkedEntity, keys: Row): Promise<void> {
  const columns = Object.keys(keys).map((name) => ({ ref: [name] }));
  const from = { ref: [{ id: entity.name, where: equalities(keys) }] };
  const [found] = await visibleRows(exchange, { SELECT: { one: true, from, columns } });
  if (!found) throw new ServiceError({ status: 404 });
}

/**
 * Makes sure that the instance exists from which a path navigates to what turned out to be empty.
 *
 * @throws ServiceError 404 when it does not
 */
export async function assertParent(exchange: Exchange, plan: EntityPlan): Promise<void> {
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
  // a hidden parent is as if it were missing
  const [row] = await visibleRows(exchange, { SELECT: { one: true, from: navigation.subject, columns } });
  if (!row) throw new ServiceError({ status: 404 });
  return row;
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
