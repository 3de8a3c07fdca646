/**
 * Links of many to many: rows of their own, written as parts of the row that has the association.
 *
 * @module
 */

import type { RefExpression, Row, SelectQuery } from "../../cqn/cqn.ts";
import { deltaRows } from "../../cqn/entries_of.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { type Through, throughOf } from "../../model/links.ts";
import { restrictedRead } from "../../service/authorization/restricted_read.ts";
import { dispatch, type Exchange } from "../exchange.ts";
import { equalities } from "../../cqn/conjunction.ts";

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
  await dispatch(exchange, {
    event: "UPDATE",
    data,
    query: { UPDATE: { entity: subject, data } },
    target: source,
    subject,
    path: source.name,
  });
}

function linkRow({ target }: Through, keys: Row): Row {
  return Object.fromEntries((target.$foreignKeys ?? []).map(({ name, target }) => [name, keys[target]]));
}

async function assertExists(exchange: Exchange, entity: LinkedEntity, keys: Row): Promise<void> {
  const columns = Object.keys(keys).map((name) => ({ ref: [name] }));
  const from = { ref: [{ id: entity.name, where: equalities(keys) }] };
  const query: SelectQuery = { SELECT: { one: true, from, columns } };
  const found = await exchange.scope.host.db?.run(restrictedRead(query, exchange.context, exchange.scope));
  if (!found) throw new ServiceError({ status: 404 });
}
