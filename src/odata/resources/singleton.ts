/**
 * Singletons: one row, whatever the table behind them holds (CSDL 13.3).
 *
 * @module
 */

import type { RefExpression, Row } from "../../cqn/cqn.ts";
import { isServiceError } from "../../errors/service_error.ts";
import { runWithContext } from "../../context/store.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Exchange } from "../exchange.ts";
import type { Plan } from "../plan/plan.ts";
import { firstRow, readRequest } from "./read_request.ts";
import { isSingleton } from "../../model/service_document.ts";
import { equalities } from "../../cqn/conjunction.ts";

/** What a request addresses. */
export interface Instance {
  readonly subject: RefExpression;
  /** Keys of a singleton, which the URL does not hold. */
  readonly keys?: Row;
}

/**
 * What a request addresses; of a singleton whose table has several rows it is the one that reading shows.
 *
 * @param exchange the exchange
 * @param plan the plan of an entity, or of what is below it
 */
export function addressedInstance(exchange: Exchange, plan: Plan): MaybePromise<Instance> {
  const subject = plan.addressed.subject!;
  const { target } = plan;
  if (!target || !isSingleton(target) || subject.ref.length > 1 || typeof subject.ref[0] !== "string") {
    return { subject };
  }
  return runWithContext(exchange.context, () => shownInstance(exchange, plan, { target, subject }));
}

async function shownInstance(
  exchange: Exchange,
  plan: Plan,
  { target, subject }: { readonly target: LinkedEntity; readonly subject: RefExpression },
): Promise<Instance> {
  const { db } = exchange.scope.host;
  if (!db || target["@cds.persistence.skip"] === true || target.$flatKeys.length === 0) return { subject };
  const columns = target.$flatKeys.map(({ name }) => ({ ref: [name] }));
  const limit = { rows: { val: 2 } };
  const rows = await db.run({ SELECT: { from: subject, columns, limit } }) as readonly Row[];
  if (rows.length === 0) return { subject };
  const row = rows.length === 1 ? rows[0]! : await shownRow(exchange, plan) ?? rows[0]!;
  const keys = Object.fromEntries(target.$flatKeys.map(({ name }) => [name, row[name]]));
  return { subject: { ref: [{ id: subject.ref[0] as string, where: equalities(keys) }] }, keys };
}

/** The row that the caller sees; undefined if there is none. */
async function shownRow(exchange: Exchange, plan: Plan): Promise<Row | undefined> {
  try {
    const query = { SELECT: { one: true, from: plan.addressed.subject! } };
    return firstRow(await exchange.scope.service.dispatch(readRequest(exchange, plan, { query })));
  } catch (error) {
    // Who may not read may be allowed to write.
    if (isServiceError(error) && [401, 403, 404, 405].includes(Number(error.status))) return undefined;
    throw error;
  }
}
