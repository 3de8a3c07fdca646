/**
 * What handlers answered a write with, and what of it the client gets (OData Protocol 11.4.2, 11.4.3).
 *
 * What a PUT sets that it does not mention (OData Protocol 11.4.3.1).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import { mayReadAll } from "../../service/authorization/restricted_read.ts";
import type { JsonRows } from "../../service/database.ts";
import type { ServiceRequest } from "../../service/requests/service_request.ts";
import { dispatchTo } from "../../service/service.ts";
import { type ElementRule, rulesOf } from "../../service/validation/element_rules.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { createRequest, type DispatchProperties, type Exchange } from "../exchange.ts";
import { etagElement } from "../headers/etag.ts";
import type { ResultShape } from "../plan/result_shape.ts";
import { isRow } from "../../cqn/entries_of.ts";
import { isStream } from "../names.ts";

/** A row as read back: as object, or as JSON text of the database; neither when it was not read, or may not be. */
export interface RowReadBack {
  /** The row. */
  readonly row: Row | null;
  /** Its text, where the answer takes it as it is. */
  readonly json?: JsonRows;
}

/** The outcome of a write. */
export interface WriteOutcome {
  /** The row that the service answered; undefined where it answered none. */
  readonly row: Row | undefined;
  /** The members of the row that handlers gave; undefined where the row is the one that the database wrote. */
  readonly given: Row | undefined;
  /** Whether handlers wrote the row, and the generic handler did not. */
  readonly isHandled: boolean;
}

/**
 * Sends a write of one row to the service.
 *
 * @param exchange the exchange
 * @param properties what the request is about
 */
export function dispatchWrite(
  exchange: Exchange,
  properties: DispatchProperties,
): MaybePromise<WriteOutcome> {
  const request = createRequest(exchange, properties);
  return andThen(dispatchTo(exchange.scope.service, request), (result) => outcomeOf(request, result));
}

/** The outcome of a write that nobody but the database took part in. */
export function writtenRow(row: Row): WriteOutcome {
  return { row, given: undefined, isHandled: false };
}

function outcomeOf(request: ServiceRequest, result: unknown): WriteOutcome {
  const { written } = request;
  const first = Array.isArray(result) ? result[0] : result;
  const isHandled = written === undefined;
  if (!isRow(first) || first === written) {
    return { row: isRow(first) ? first : undefined, given: undefined, isHandled };
  }
  // the result of an INSERT, say, is an object, too
  if (!Object.keys(first).some((name) => isMember(request.target!, name))) {
    return { row: undefined, given: undefined, isHandled };
  }
  if (isHandled) return { row: first, given: first, isHandled };
  const changed = Object.entries(first).filter(([name, value]) => !Object.is(value, written[name]));
  return { row: first, given: changed.length > 0 ? Object.fromEntries(changed) : undefined, isHandled };
}

function isMember(entity: LinkedEntity, name: string): boolean {
  return entity.$flat.has(name) || Object.hasOwn(entity.elements, name);
}

/** Whether the database of the runtime has the rows of an entity. */
export function isStored({ scope: { host } }: Exchange, entity: LinkedEntity): boolean {
  return host.db !== undefined && entity["@cds.persistence.skip"] !== true;
}

/** What an answer shows of a written row. */
export interface AnsweredRow {
  /** Keys of the row, as far as they are known. */
  readonly keys: Row;
  readonly outcome: WriteOutcome;
  /** What the URL selects, where it does. */
  readonly shape?: ResultShape | undefined;
  /** Reads the row back; `asObject`: not as JSON text. */
  readonly read: (asObject: boolean) => MaybePromise<RowReadBack>;
}

/**
 * The row that a write is answered with: as it was read back, with the members that handlers gave. Where handlers wrote it
 * and there is no table to read it from, what they gave is the row. Who may not read it gets nothing.
 *
 * @param exchange the exchange
 * @param target the entity
 * @param answered what is known of the row
 */
export function answeredRow(
  exchange: Exchange,
  target: LinkedEntity,
  { keys, outcome: { given, isHandled }, shape, read }: AnsweredRow,
): MaybePromise<RowReadBack> {
  if (!given) return read(false);
  const shown = selected(given, shape);
  const isShown = isHandled && mayReadAll(target, exchange.context, exchange.scope);
  if (isShown && !isStored(exchange, target)) return { row: { ...keys, ...shown } };
  return andThen(read(true), ({ row }) => {
    if (row) return { row: merged(row, shown, target) };
    return { row: isShown ? { ...keys, ...shown } : null };
  });
}

function selected(given: Row, shape: ResultShape | undefined): Row {
  const { select, expand, computed } = shape ?? {};
  if (select === undefined) return given;
  const names = new Set([
    ...select.map((path) => path.split("/", 1)[0]!),
    ...computed!,
    ...expand!.map(({ name }) => name),
  ]);
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name)));
}

/** A row with other values for some members; a structure that is given nested replaces its flat elements. */
function merged(row: Row, given: Row, { $flat }: LinkedEntity): Row {
  const own = Object.entries(row).filter(([name]) => {
    const flat = $flat.get(name);
    return flat === undefined || flat.path.length < 2 || !isRow(given[flat.path[0]!]);
  });
  return { ...Object.fromEntries(own), ...given };
}

/** Defaults, or null, of all elements that clients may write. */
export function replacementDefaults(entity: LinkedEntity): Row {
  const row: Row = {};
  for (const rule of rulesOf(entity)) {
    if (!isKept(rule, entity)) row[rule.flat.name] = defaultOf(rule.flat);
  }
  return row;
}

/** Keys, streams, versions and what clients cannot change stay as they are. */
function isKept({ flat, isIgnored, isImmutable }: ElementRule, entity: LinkedEntity): boolean {
  return isIgnored || isImmutable || flat.key || flat.virtual || isStream(flat.element) ||
    etagElement(entity) === flat;
}

function defaultOf(flat: FlatElement): unknown {
  const value = flat.annotated.default;
  return value && "val" in value ? value.val : null;
}
