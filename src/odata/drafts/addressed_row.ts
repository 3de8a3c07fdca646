/**
 * The row that a path of a write leads to: its keys, and what ties it to its whole.
 *
 * @module
 */

import type { RefExpression, Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { keysOfUrl, type Plan } from "../plan/plan.ts";
import type { Exchange } from "../exchange.ts";
import { childLinks } from "../resources/parent.ts";

/** A request, and what its URL means in rows. */
interface Addressing {
  readonly exchange: Exchange;
  readonly rows: Plan;
}

/**
 * The keys of the row: those of the URL; where it does not hold all, behind a property to one, they are read.
 *
 * @param addressing the request
 * @throws ServiceError 404 where nothing is behind the property
 */
export async function keysOfRow({ exchange, rows }: Addressing): Promise<Row> {
  const known = keysOfUrl(rows);
  const names = rows.rows!.target.$flatKeys.map(({ name }) => name);
  if (names.every((name) => known[name] !== undefined)) return known;
  return await readRow(exchange, rows.addressed.subject!, names);
}

/**
 * The foreign keys by which a part belongs to the whole that its path names.
 *
 * @param addressing the request: its path leads along a navigation property
 * @throws ServiceError 404 where the whole is missing
 */
export async function linksToWhole({ exchange, rows }: Addressing): Promise<Row> {
  const { element, subject, keyed } = rows.navigation!;
  const links = childLinks(element);
  const names = links.map(({ source }) => source);
  const whole = typeof subject.ref.at(-1) === "object" ? rows.addressed.params.at(keyed ? -2 : -1) ?? {} : {};
  const isKnown = names.every((name) => whole[name] !== undefined);
  const found = isKnown ? whole : await readRow(exchange, subject, names);
  return Object.fromEntries(links.map(({ source, target }) => [target, found[source]]));
}

async function readRow(exchange: Exchange, from: RefExpression, names: readonly string[]): Promise<Row> {
  const columns = names.map((name) => ({ ref: [name] }));
  const row = await exchange.scope.host.db!.run({ SELECT: { from, columns, one: true } }) as Row | null;
  if (!row) throw new ServiceError({ status: 404 });
  return row;
}
