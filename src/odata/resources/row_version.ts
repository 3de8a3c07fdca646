/**
 * `If-Match` of changes (OData Protocol 11.4.1.1).
 *
 * @module
 */

import type { RefExpression, Row, Xo } from "../../cqn/cqn.ts";
import { removedRows } from "../../cqn/entries_of.ts";
import { givenMessage, isServiceError } from "../../errors/service_error.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { assertChangeablePart, type NamedPart } from "../../service/authorization/permitted_rows.ts";
import type { DatabaseService } from "../../service/database_service.ts";
import { isOfType } from "../../service/validation/check_type.ts";
import { type MaybePromise, orElse } from "../../util/maybe_promise.ts";
import type { Exchange } from "../exchange.ts";
import { lacksKey } from "../payload/reading.ts";
import {
  etagElement,
  preconditionFailed,
  preconditionRequired,
  type TagCondition,
  withTag,
} from "../headers/etag.ts";
import { equalities } from "../../cqn/conjunction.ts";

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
/** Their values have a form that databases ask for. */
const FORMED = /^cds\.(?:U?Int\d*|Integer\d*|Decimal|Date|Time|DateTime|Timestamp)$/;

/** The values that tags stand for; those that no row of the type can have are left out. */
function versions(
  tags: Exclude<TagCondition, "*">,
  element: FlatElement,
): (string | number | boolean)[] {
  const { $type } = element.element;
  const { builtin = "" } = $type;
  return tags.map(decodeTag).flatMap((text): (string | number | boolean)[] => {
    if (builtin === "cds.Boolean") return text === "true" || text === "false" ? [text === "true"] : [];
    const value = NUMBERS.test(builtin) ? numberOf(text) : text;
    if (value === undefined) return [];
    return FORMED.test(builtin) && !isOfType(value, $type, Infinity) ? [] : [value];
  });
}

/** Rows have numbers as far as these are exact, else text. */
function numberOf(text: string): string | number | undefined {
  if (!/^[+-]?\d[\d.]*(?:e[+-]?\d+)?$/i.test(text) || Number.isNaN(Number(text))) return undefined;
  return String(Number(text)) === text ? Number(text) : text;
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
export function assertVersion(
  exchange: Exchange,
  entity: LinkedEntity,
  subject: RefExpression,
): MaybePromise<void> {
  const where = tagCondition(exchange, entity);
  const { db } = exchange.scope.host;
  if (exchange.preconditions.ifMatch === undefined || !db || entity["@cds.persistence.skip"] === true) return;
  return assertVersionIn(db, entity, { subject, where });
}

async function assertVersionIn(
  db: DatabaseService,
  entity: LinkedEntity,
  { subject, where }: { readonly subject: RefExpression; readonly where: Xo[] | undefined },
): Promise<void> {
  const columns = entity.$flatKeys.slice(0, 1).map((key) => ({ ref: [key.name] }));
  const select = { one: true, from: subject, history: true, columns, ...(where ? { where } : {}) };
  const found = (where && await lockedRows(db, subject, where)) ?? await db.run({ SELECT: select });
  if (!found) throw preconditionFailed();
}

/**
 * The change of a nested row, whose version its tag in the body says, if it has one.
 *
 * @param exchange the exchange of the body
 * @param entity the entity of the row
 * @param tag the tag, or `*`
 * @returns the exchange with the preconditions of the row, and the condition that the row has to meet
 */
export function ofVersion(
  exchange: Exchange,
  entity: LinkedEntity,
  tag: string | undefined,
): { readonly exchange: Exchange; readonly where: readonly Xo[] | undefined } {
  if (tag === undefined) return { exchange: { ...exchange, preconditions: {} }, where: undefined };
  const own = { ...exchange, preconditions: withTag({}, tag) };
  return { exchange: own, where: tagCondition(own, entity) };
}

/** A row, and those nested in it. */
interface Nesting {
  readonly entity: LinkedEntity;
  readonly subject: RefExpression;
  readonly row: Row;
  /** The nested rows around it, and itself, of which nobody has asked yet who may change them. */
  readonly way?: readonly NamedPart[];
}

/**
 * Checks the versions that nested rows are to have; they keep them until the end of the transaction. Who may not change a
 * row is told that, whatever its version.
 *
 * @param exchange the exchange
 * @param etags their tags
 * @param nesting the row around them
 * @throws ServiceError 412, 401 or 403
 */
export async function assertNestedVersions(
  exchange: Exchange,
  etags: ReadonlyMap<Row, string>,
  { entity, subject, row, way = [] }: Nesting,
): Promise<void> {
  for (const composition of entity.compositions) {
    const value = row[composition.name];
    const removed = new Set(removedRows(value));
    for (const one of [...[value ?? []].flat() as Row[], ...removed]) {
      const event = removed.has(one) ? "DELETE" : "UPDATE";
      const part = {
        entity: composition.$target!,
        subject: partOf(subject, composition, one),
        event,
      } as const;
      const tag = etags.get(one);
      if (tag !== undefined) {
        if (composition.is2many && lacksKey(one, composition)) throw preconditionFailed();
        for (const each of [...way, part]) await assertChangeablePart(each, exchange.context, exchange.scope);
        await assertVersion({ ...exchange, preconditions: withTag({}, tag) }, part.entity, part.subject);
      }
      const around = tag === undefined ? [...way, part] : [];
      await assertNestedVersions(exchange, etags, { ...part, row: one, way: around });
    }
  }
}

/** A part by the path to it. */
function partOf({ ref }: RefExpression, { name, $target: part }: LinkedElement, row: Row): RefExpression {
  const keys = part!.$flatKeys.filter((key) => row[key.name] !== undefined);
  const where = equalities(Object.fromEntries(keys.map((key) => [key.name, row[key.name]])));
  return { ref: [...ref, where.length > 0 ? { id: name, where } : name] };
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
export function orPreconditionFailed<T>(exchange: Exchange, run: () => MaybePromise<T>): MaybePromise<T> {
  return orElse(run, (error) => {
    const notFound = isServiceError(error) && error.status === 404 && !givenMessage(error);
    if (notFound && exchange.preconditions.ifMatch !== undefined) throw preconditionFailed();
    throw error;
  });
}
