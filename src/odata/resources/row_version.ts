/**
 * `If-Match` of changes (OData Protocol 11.4.1.1).
 *
 * @module
 */

import type { RefExpression, Xo } from "../../cqn/cqn.ts";
import { givenMessage, isServiceError } from "../../errors/service_error.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import type { DatabaseService } from "../../service/database_service.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Exchange } from "../exchange.ts";
import { etagElement, preconditionFailed, preconditionRequired, type TagCondition } from "../headers/etag.ts";

/**
 * The condition that the row still has one of the versions in `If-Match`.
 *
 * @throws ServiceError 428 when the entity has a version and the request names none
 */
export function tagCondition(exchange: Exchange, entity: LinkedEntity): Xo[] | undefined {
  const element = etagElement(entity);
  if (!element) return undefined;
  const { ifMatch } = exchange.preconditions;
  if (ifMatch === undefined) {
    if (element.annotated["@odata.etag.optional"] === true) return undefined;
    throw preconditionRequired();
  }
  if (ifMatch === "*") return undefined;
  const list = versions(ifMatch, element).map((val) => ({ val }));
  if (list.length === 0) throw preconditionFailed();
  return [{ ref: [element.name] }, "in", { list }];
}

const NUMBERS = /^cds\.(?:U?Int\d*|Integer\d*|Decimal|Double)$/;

/** The values that tags stand for; those that no row of the type can have are left out. */
function versions(
  tags: Exclude<TagCondition, "*">,
  element: FlatElement,
): (string | number | boolean)[] {
  const { builtin = "" } = element.element.$type;
  return tags.map(decodeTag).flatMap((text): (string | number | boolean)[] => {
    if (builtin === "cds.Boolean") return text === "true" || text === "false" ? [text === "true"] : [];
    if (!NUMBERS.test(builtin)) return [text];
    if (!/^[+-]?\d[\d.]*(?:e[+-]?\d+)?$/i.test(text) || Number.isNaN(Number(text))) return [];
    // Rows have numbers as far as these are exact, else text.
    return [String(Number(text)) === text ? Number(text) : text];
  });
}

function decodeTag(tag: string): string {
  try {
    return decodeURIComponent(tag);
  } catch {
    return tag;
  }
}

/**
 * Checks `If-Match` of what changes an instance otherwise than by a statement on it: bound actions, references. The
 * instance keeps its version until the end of the transaction.
 *
 * @param exchange the exchange
 * @param entity its entity
 * @param subject the instance
 * @throws ServiceError 428, 412, 404
 */
export async function assertVersion(
  exchange: Exchange,
  entity: LinkedEntity,
  subject: RefExpression,
): Promise<void> {
  const where = tagCondition(exchange, entity);
  const { db } = exchange.scope.host;
  if (exchange.preconditions.ifMatch === undefined || !db || entity["@cds.persistence.skip"] === true) return;
  const columns = entity.$flatKeys.slice(0, 1).map((key) => ({ ref: [key.name] }));
  const select = { one: true, from: subject, history: true, columns, ...(where ? { where } : {}) };
  const found = (where && await lockedRows(db, subject, where)) ?? await db.run({ SELECT: select });
  if (!found) throw preconditionFailed();
}

/** How many rows meet a condition, which they do until the end of the transaction; undefined where none can be locked. */
async function lockedRows(
  db: DatabaseService,
  subject: RefExpression,
  where: readonly Xo[],
): Promise<number | undefined> {
  try {
    return await db.lock(subject, where);
  } catch (error) {
    if (isServiceError(error) && error.status === 501) return undefined;
    throw error;
  }
}

/**
 * With `If-Match` a row that is not found is one that does not match.
 *
 * @param exchange the exchange
 * @param run changes the row
 * @throws ServiceError 412
 */
export async function orPreconditionFailed<T>(exchange: Exchange, run: () => MaybePromise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const notFound = isServiceError(error) && error.status === 404 && !givenMessage(error);
    if (notFound && exchange.preconditions.ifMatch !== undefined) throw preconditionFailed();
    throw error;
  }
}
