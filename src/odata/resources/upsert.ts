/**
 * Whether a change creates a row that is missing (OData Protocol 11.4.4).
 *
 * @module
 */

import { runWithContext } from "../../context/store.ts";
import { isServiceError } from "../../errors/service_error.ts";
import { type MaybePromise, orElse } from "../../util/maybe_promise.ts";
import { type Exchange, inTransaction } from "../exchange.ts";
import { preconditionFailed } from "../headers/etag.ts";
import { isNullableSingleton } from "../methods.ts";
import type { EntityPlan } from "../plan/plan.ts";
import { isStored } from "./handler_row.ts";

/**
 * Runs a write that creates the addressed row if it is missing. Where another request creates it at the same time, the
 * write is repeated, and finds it.
 *
 * @param exchange the exchange
 * @param plan the plan of an entity
 * @param write runs inside of a transaction, and maybe again inside of another one
 */
export function createdOnce<T>(
  exchange: Exchange,
  plan: EntityPlan,
  write: () => MaybePromise<T>,
): MaybePromise<T> {
  return orElse(() => inTransaction(exchange, write), (error) => {
    if (!isTaken(error) || exchange.grouped || !mayCreate(exchange, plan)) throw error;
    return runWithContext(exchange.context, () => writeAgain(exchange, plan, { error, write }));
  });
}

async function writeAgain<T>(
  exchange: Exchange,
  plan: EntityPlan,
  { error, write }: { readonly error: unknown; readonly write: () => MaybePromise<T> },
): Promise<T> {
  if (!await inTransaction(exchange, () => exists(exchange, plan))) throw error;
  exchange.requests.length = 0; // what the handlers told is told again
  return await inTransaction(exchange, write);
}

/**
 * Whether a row could not be created as there is one with its key.
 *
 * @param error what was thrown
 */
export function isTaken(error: unknown): boolean {
  return isServiceError(error) && error.code === "ENTITY_ALREADY_EXISTS";
}

/**
 * Updates a row, and creates it where handlers that have the rows of an entity without table answer 404: their UPDATE
 * becomes a CREATE wherever a missing row is to be created.
 *
 * @param exchange the exchange
 * @param plan the plan of an entity
 * @param ways how to update and how to create
 */
export function createdIfMissing<T>(
  exchange: Exchange,
  plan: EntityPlan,
  { update, create, isUpsert = false }: {
    readonly update: () => MaybePromise<T>;
    readonly create: () => Promise<T>;
    readonly isUpsert?: boolean;
  },
): MaybePromise<T> {
  if (!isCreatedByHandlers(exchange, plan, isUpsert)) return update();
  const sentBefore = exchange.requests.length;
  return orElse(update, (error) => {
    if (!isServiceError(error) || error.status !== 404) throw error;
    exchange.requests.length = sentBefore; // their messages are about a row that is missing
    return runWithContext(exchange.context, create);
  });
}

function isCreatedByHandlers(exchange: Exchange, plan: EntityPlan, isUpsert: boolean): boolean {
  const { service } = exchange.scope;
  const { target } = plan;
  if (isStored(exchange, target) || plan.navigation || !isCreation(exchange, plan, isUpsert)) return false;
  return service.handlers.for("on", { event: "CREATE", entity: target.name, path: target.name }).length > 0;
}

/**
 * Whether a missing row would be created instead of updated.
 *
 * @param exchange the exchange
 * @param plan the plan of an entity
 * @param isUpsert whether that is so without any preference
 */
export function mayCreate(exchange: Exchange, plan: EntityPlan, isUpsert = false): boolean {
  return isStored(exchange, plan.target) && isCreation(exchange, plan, isUpsert);
}

function isCreation(exchange: Exchange, plan: EntityPlan, isUpsert: boolean): boolean {
  const { settings } = exchange.scope;
  if (plan.singleton && !isNullableSingleton(plan)) return false;
  if (exchange.preconditions.ifMatch !== undefined) return false;
  if (exchange.preconditions.ifNoneMatch === "*") return true;
  if (isUpsert) return true;
  return exchange.method === "PUT" ? settings.putAsUpsert : settings.patchAsUpsert;
}

/** Whether the addressed row exists. */
export async function exists(exchange: Exchange, plan: EntityPlan): Promise<boolean> {
  const [key] = plan.target.$flatKeys;
  const columns = key ? [{ ref: [key.name] }] : undefined;
  const row = await exchange.scope.host.db!.run({
    SELECT: { one: true, from: plan.addressed.subject, history: true, columns },
  });
  return row !== null && row !== undefined;
}

/**
 * With `If-None-Match: *` only a row that is not there may be written; who may not write does not learn whether it is.
 *
 * @param exchange the exchange
 * @throws ServiceError 412
 */
export function assertMissing({ preconditions }: Exchange): void {
  if (preconditions.ifNoneMatch === "*") throw preconditionFailed();
}
