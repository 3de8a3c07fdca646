/**
 * Deep insert along associations annotated `@odata.deepInsert`: rows that are created with the row that refers to them,
 * or that they refer to (OData Protocol 11.4.2.2).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { foreignKeyLinks } from "../../model/links.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { throughOf } from "../../model/through.ts";
import { dispatch, type Exchange } from "../exchange.ts";
import type { RelatedRow } from "../payload/reading.ts";
import { changeLinks } from "./link_rows.ts";
import { childLinks } from "./parent.ts";
import { keysOf } from "./read_back.ts";
import { keyCondition } from "./read_request.ts";
import { linksNotSupported } from "./reference.ts";
import { assertMembersOfType } from "./row_type.ts";

/** A row that has related ones. */
interface Owner {
  readonly entity: LinkedEntity;
  readonly data: Row;
  /** The row in the body; undefined for the one at the top. */
  readonly row?: Row;
}

/**
 * Makes sure that all related rows belong to rows that are created on their own.
 *
 * @param related the rows
 * @throws ServiceError 501 for those below parts of a composition
 */
export function assertReachable(related: readonly RelatedRow[]): void {
  const owners = new Set<Row | undefined>([undefined, ...related.map(({ row }) => row)]);
  const lost = related.find(({ owner }) => !owners.has(owner?.row));
  if (lost) throw linksNotSupported(lost.element.name);
}

/**
 * Creates the rows that a row refers to; their keys become its foreign keys.
 *
 * @param exchange the exchange
 * @param related all related rows of the body
 * @param owner the row, before it is created; completed
 */
export async function createReferred(
  exchange: Exchange,
  related: readonly RelatedRow[],
  owner: Owner,
): Promise<void> {
  for (const one of related) {
    const links = foreignKeyLinks(one.element);
    if (one.owner?.row !== owner.row || links.length === 0) continue;
    const created = await createRelated(exchange, related, one);
    for (const { source, target } of links) owner.data[source] = created[target];
  }
}

/**
 * Creates the rows that refer to a row, or that are linked with it.
 *
 * @param exchange the exchange
 * @param related all related rows of the body
 * @param owner the row, which is created
 */
export async function createReferring(
  exchange: Exchange,
  related: readonly RelatedRow[],
  owner: Owner,
): Promise<void> {
  for (const one of related) {
    const { element } = one;
    if (one.owner?.row !== owner.row || foreignKeyLinks(element).length > 0) continue;
    const links = childLinks(element);
    const isLinked = throughOf(element) !== undefined;
    if (links.length === 0 && !isLinked) throw linksNotSupported(element.name);
    for (const { source, target } of links) one.row[target] = owner.data[source];
    const created = await createRelated(exchange, related, one);
    if (!isLinked) continue;
    const [keys, added] = [keysOf(owner.entity, owner.data), keysOf(element.$target!, created)];
    if (!keys || !added) throw new ServiceError({ status: 400, message: "The row has no key" });
    const subject = { ref: [{ id: owner.entity.name, where: keyCondition(keys) }] };
    await changeLinks(exchange, { source: owner.entity, subject, element, added: [added] });
  }
}

async function createRelated(
  exchange: Exchange,
  related: readonly RelatedRow[],
  { element, row }: RelatedRow,
): Promise<Row> {
  const target = element.$target!; // the reader takes associations of the model only
  assertMembersOfType(target, row);
  await createReferred(exchange, related, { entity: target, data: row, row });
  const query = { INSERT: { into: target.name, entries: [row] } };
  const result = await dispatch(exchange, {
    event: "CREATE",
    data: row,
    query,
    target,
    path: target.name,
    params: [],
  });
  const first = Array.isArray(result) ? result[0] : result;
  const data = { ...row, ...(typeof first === "object" && first !== null ? first as Row : {}) };
  await createReferring(exchange, related, { entity: target, data, row });
  return data;
}
