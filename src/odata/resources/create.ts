/**
 * POST to collections of entities, and creation by PUT and PATCH (OData Protocol 11.4.2).
 *
 * @module
 */

import type { RefExpression, Row } from "../../cqn/cqn.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Answer } from "../answer.ts";
import { dispatch, type Exchange, finishAnswer, inTransaction, rawPathOf } from "../exchange.ts";
import { isGenerated } from "../../model/exposure.ts";
import { negotiateFormat } from "../headers/accept.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { mediaElement } from "../../model/media_element.ts";
import { mediaTypeOf } from "../../service/read_body.ts";
import { etagElement, writeTag } from "../headers/etag.ts";
import type { NavigationStep, Plan } from "../plan/plan.ts";
import { parentSteps } from "../payload/context_url.ts";
import { canonicalUrl } from "../payload/key_predicate.ts";
import { type EntityBody, readEntityBody } from "../payload/request_body.ts";
import { throughOf } from "../../model/through.ts";
import type { RelatedRow } from "../payload/reading.ts";
import { bindMembers } from "./bind_members.ts";
import { changeLinks } from "./link_rows.ts";
import { parentLinks } from "./parent.ts";
import { keysOf, type ReadBack, readBackByKeys, readBackByOptions, runReadBack } from "./read_back.ts";
import { entityAnswer } from "./read_entities.ts";
import { readStreamBody } from "./stream_body.ts";
import { assertReachable, createReferred, createReferring } from "./related_rows.ts";
import { assertMembersOfType } from "./row_type.ts";
import { keyCondition } from "./read_request.ts";

/** A created row as far as it is known. */
export interface Created {
  /** The data of the request after its handlers. */
  readonly data: Row;
  /** The row as read back; null when it was not read, or may not be. */
  readonly row: Row | null;
  readonly plan: Plan;
}

/** Answers POST to a set or a to-many navigation. */
export async function postEntity(exchange: Exchange, plan: Plan): Promise<Answer> {
  const format = negotiateFormat(exchange.request.headers.get("accept"), plan.format, ["json"]);
  const body = await readNewEntity(exchange, plan.target!);
  const created = await inTransaction(exchange, async () => {
    const links = plan.navigation ? await parentLinks(exchange, plan.navigation) : {};
    return createRow(exchange, plan, { ...body, row: { ...typeOfPath(plan), ...body.row, ...links } });
  });
  return createdAnswer(exchange, created, format);
}

/** The body as new row; of a media entity anything but JSON is its stream (OData Protocol 11.4.7.1). */
async function readNewEntity(exchange: Exchange, target: LinkedEntity): Promise<EntityBody> {
  const media = mediaElement(target);
  const type = mediaTypeOf(exchange.request.headers.get("content-type"));
  if (!media || type === "" || type === "application/json") return await readEntityBody(exchange, target);
  return { row: await readStreamBody(exchange, media), members: [] };
}

/** Behind a type cast, rows are of that type. */
function typeOfPath({ cast }: Plan): Row {
  return cast ? { [cast.discriminator]: cast.values[0] } : {};
}

/**
 * Sends a row to the service.
 *
 * @param exchange the exchange
 * @param plan the plan of the URL
 * @param data the row
 * @returns what the handlers answer
 */
export function dispatchCreate(exchange: Exchange, plan: Plan, data: Row): MaybePromise<unknown> {
  const target = plan.target!; // callers have checked that the URL addresses entities
  return dispatch(exchange, {
    event: "CREATE",
    data,
    query: { INSERT: { into: target.name, entries: [data] } },
    target,
    ...(plan.navigation ? { subject: collectionOf(plan.navigation) } : {}),
    path: plan.path,
    params: plan.params,
  });
}

/** The path of the collection that a row is created in. */
function collectionOf({ subject, element }: NavigationStep): RefExpression {
  return { ref: [...subject.ref, element.name] };
}

/**
 * Creates a row and reads it back; runs inside a transaction.
 *
 * @param exchange the exchange
 * @param plan the plan of the URL
 * @param body the row, and what to link with it
 */
export async function createRow(
  exchange: Exchange,
  plan: Plan,
  { row: data, members, related = [] }: EntityBody,
): Promise<Created> {
  const target = plan.target!;
  assertMembersOfType(target, data);
  assertReachable(related);
  const sent = { ...structuredCloneOfNames(data), ...sentRelated(related) };
  if (related.length > 0) await createReferred(exchange, related, { entity: target, data });
  const result = await dispatchCreate(exchange, plan, data);
  const written = { ...data, ...rowOf(result) };
  const keys = keysOf(target, written);
  if (keys) {
    const subject = { ref: [{ id: target.name, where: keyCondition(keys) }] };
    if (related.length > 0) await createReferring(exchange, related, { entity: target, data: written });
    if (members.length > 0) await bindMembers(exchange, members, { source: target, subject });
    const { navigation } = plan;
    if (navigation && throughOf(navigation.element)) {
      await changeLinks(exchange, { ...navigation, added: [keys] });
    }
  }
  const minimal = exchange.preferences.return === "minimal";
  if (!keys || (minimal && !etagElement(target))) return { data: written, row: null, plan };
  const readBack = readBackByOptions(plan, keys) ?? readBackByKeys(target, keys, sent);
  const row = await runReadBack(exchange, plan, inPath(readBack, plan, keys));
  return { data: written, row, plan: { ...plan, shape: readBack.shape } };
}

/** Related rows by the names of their associations, at the top. */
function sentRelated(related: readonly RelatedRow[]): Row {
  const sent: Record<string, Row[]> = {};
  for (const { element, row, owner } of related) if (!owner) (sent[element.name] ??= []).push(row);
  return sent;
}

/** A part of another row is read by the path to it, whose restriction holds for it. */
function inPath(readBack: ReadBack, { navigation, target }: Plan, keys: Row): ReadBack {
  if (!navigation || !isGenerated(target!)) return readBack;
  const step = { id: navigation.element.name, where: keyCondition(keys) };
  const from = { ref: [...navigation.subject.ref, step] };
  return { ...readBack, query: { SELECT: { ...readBack.query.SELECT, from } } };
}

/** The names that were sent, deep: handlers may change the data itself. */
function structuredCloneOfNames(data: Row): Row {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]),
  );
}

function rowOf(result: unknown): Row {
  const row = Array.isArray(result) ? result[0] : result;
  return typeof row === "object" && row !== null ? row as Row : {};
}

/** The answer with a created entity: 201, or 204 when there is nothing to show. */
export function createdAnswer(
  exchange: Exchange,
  created: Created,
  format: ReturnType<typeof negotiateFormat>,
): Answer {
  const { plan, row, data } = created;
  const url = canonicalUrl(plan.target!, row ?? data);
  const location = url === undefined ? undefined : parentSteps(rawPathOf(exchange)) + url;
  const preference = exchange.preferences.return;
  const applied = preference ? ["return"] : [];
  if (row === null || preference === "minimal") {
    const tag = row && etagElement(plan.target!);
    const headers = {
      Location: location,
      "OData-EntityId": location,
      ETag: tag && row[tag.name] !== null ? writeTag(row[tag.name]) : undefined,
    };
    const minimal = preference === "minimal" ? applied : [];
    return finishAnswer(exchange, { status: 204, headers, applied: minimal, entityUrl: url });
  }
  const status = exchange.http?.res.statusCode ?? 201;
  return entityAnswer(exchange, plan, {
    result: row,
    format,
    status,
    headers: { Location: location },
    applied,
  });
}
