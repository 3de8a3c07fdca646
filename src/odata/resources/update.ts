/**
 * PATCH, PUT and DELETE of one entity (OData Protocol 11.4.3 to 11.4.5).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { assertRoles } from "../../service/authorization/restricted_read.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { foreignKeyLinks } from "../../model/links.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { andThenWithin, runBriefly, runWithContext } from "../../context/store.ts";
import { updateAlone } from "../../service/unseen/update_alone.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import type { Answer } from "../answer.ts";
import { dispatch, type Exchange, finishAnswer, inTransaction } from "../exchange.ts";
import { type Format, negotiateFormat } from "../headers/accept.ts";
import { etagElement, tagOf, withTag } from "../headers/etag.ts";
import { keysOfUrl, type NavigationStep, type Plan } from "../plan/plan.ts";
import { type EntityBody, readEntityBodies } from "../payload/request_body.ts";
import { type Created, createdAnswer, createRow, type NewRow } from "./create.ts";
import { bindMembers } from "./bind_members.ts";
import { answeredRow, dispatchWrite, isStored, type RowReadBack } from "./handler_row.ts";
import { assertMissing, createdIfMissing, createdOnce, exists, mayCreate } from "./upsert.ts";
import { parentLinks } from "./parent.ts";
import { readBackAs, readBackByPlan, runReadBack } from "./read_back.ts";
import { entityAnswer } from "./read_entities.ts";
import { assertNestedVersions, orPreconditionFailed, tagCondition } from "./row_version.ts";
import { addressedInstance } from "./singleton.ts";
import { assertReachable, createReferred, createReferring, partUnlisted } from "./related_rows.ts";
import { replacementDefaults } from "./replacement.ts";
import { assertChangesOfType } from "./row_type.ts";

/** Answers PATCH and PUT of an entity. It may run briefly in the context of the exchange. */
export function putEntity(exchange: Exchange, plan: Plan): MaybePromise<Answer> {
  const { context } = exchange;
  const format = negotiateFormat(exchange.request.headers.get("accept"), plan.format, ["json"]);
  return andThen(
    readEntityBodies(exchange, plan.target!),
    (readBody) => runBriefly(context, () => putBody(exchange, plan, { readBody, format })),
  );
}

/** A body, which handlers may change, and the format of the answer to it. */
interface ReadBody {
  /** Gives a new one each time. */
  readonly readBody: () => EntityBody;
  readonly format: Format;
}

function putBody(sent: Exchange, plan: Plan, { readBody, format }: ReadBody): MaybePromise<Answer> {
  const { context } = sent;
  let body: EntityBody | undefined = readBody();
  const etag = body.etags?.get(body.row);
  const exchange = etag === undefined ? sent : { ...sent, preconditions: withTag(sent.preconditions, etag) };
  const outcome = createdOnce<Updated | { readonly created: Created }>(exchange, plan, () => {
    const { row: given, ...others } = body ?? readBody();
    body = undefined;
    const change = { ...others, row: withoutKeys(plan.target!, given), sent: given, format };
    const alone = updatedAlone(exchange, plan, change);
    return andThenWithin<Updated | undefined, Updated | { readonly created: Created }>(
      context,
      alone,
      (updated) => updated ?? runWithContext(context, () => updateOrCreate(exchange, plan, change)),
    );
  });
  return andThenWithin<Updated | { readonly created: Created }, Answer>(
    context,
    outcome,
    (made) =>
      "created" in made
        ? createdAnswer(exchange, made.created, format)
        : updatedAnswer(exchange, made, format),
  );
}

/**
 * Updates a row that nothing but its own values change in, where nobody sees the request that the service would get.
 *
 * @returns undefined where a request has to be sent, also where there is no such row
 */
function updatedAlone(
  exchange: Exchange,
  plan: Plan,
  { row: data, members, related = [], replaced = [], format }: NewRow & { readonly format: Format },
): MaybePromise<Updated | undefined> {
  const { scope: { service }, context, preconditions, method } = exchange;
  const target = plan.target!;
  if (method !== "PATCH" || plan.path !== target.name || plan.navigation || plan.cast || plan.singleton) {
    return undefined;
  }
  if (members.length + related.length + replaced.length > 0 || etagElement(target)) return undefined;
  if (preconditions.ifMatch !== undefined || preconditions.ifNoneMatch !== undefined) return undefined;
  const affected = updateAlone(service, context, { target, keys: keysOfUrl(plan), data });
  if (affected === undefined) return undefined;
  return andThenWithin(context, affected, (rows) => {
    if (rows === 0) return undefined;
    if (exchange.preferences.return === "minimal") return { row: null, plan };
    return readUpdated(exchange, plan, format);
  });
}

function readUpdated(exchange: Exchange, plan: Plan, format: Format | undefined): MaybePromise<Updated> {
  const readBack = readBackByPlan(plan);
  return andThen(readBackAs(exchange, plan, { ...readBack, format }), (found) => ({
    ...found,
    plan: { ...plan, shape: readBack.shape },
  }));
}

/** Keys in the body are ignored: the URL decides. */
export function withoutKeys(entity: LinkedEntity, body: Row): Row {
  const data = { ...body };
  for (const key of entity.$flatKeys) delete data[key.name];
  return data;
}

/** An updated row, and how to write it. */
export interface Updated extends RowReadBack {
  readonly plan: Plan;
}

/**
 * Updates the addressed row, or creates it where that is asked for; runs inside a transaction.
 *
 * @param exchange the exchange
 * @param plan the plan of an entity
 * @param body what changes, without keys, and what to link with the row; `isUpsert`: a missing row is created;
 *   `sent`: what changes, with keys
 */
export async function updateOrCreate(
  exchange: Exchange,
  plan: Plan,
  { row, isUpsert = false, sent = row, ...others }: NewRow & {
    readonly isUpsert?: boolean;
    readonly sent?: Row;
  },
): Promise<Updated | { readonly created: Created }> {
  if (mayCreate(exchange, plan, isUpsert) && !await exists(exchange, plan)) {
    // What may be an update or a creation needs the roles of both.
    assertRoles({ UPDATE: { entity: plan.addressed.subject!, data: {} } }, exchange.context, exchange.scope);
    const { navigation } = plan;
    if (navigation && isOwned(navigation)) {
      return { created: await createOwned(exchange, plan, { navigation, row: sent, ...others }) };
    }
    const links = navigation ? await parentLinks(exchange, navigation) : {};
    const body = { ...others, row: { ...row, ...keysOfUrl(plan), ...links } };
    return { created: await createRow(exchange, plan, body) };
  }
  return await createdIfMissing<Updated | { readonly created: Created }>(exchange, plan, {
    isUpsert,
    update: () => updateRow(exchange, plan, { ...others, row, precondition: () => assertMissing(exchange) }),
    create: async () => {
      return { created: await createRow(exchange, plan, { ...others, row: { ...row, ...keysOfUrl(plan) } }) };
    },
  });
}

/** Whether a row is at the end of an association to one whose foreign keys are where it starts. */
function isOwned({ element, keyed }: NavigationStep): boolean {
  return !keyed && !element.is2many && foreignKeyLinks(element).length > 0;
}

/**
 * A part is created with the foreign keys of its whole; what is no part is created in its own set (Protocol 11.4.4).
 *
 * @throws ServiceError 404 when the row would be no part
 */
async function createOwned(
  exchange: Exchange,
  plan: Plan,
  { navigation, row, members }: EntityBody & { readonly navigation: NavigationStep },
): Promise<Created> {
  const { element, source, subject } = navigation;
  if (!element.isComposition) throw new ServiceError({ status: 404 });
  const data = { [element.name]: row };
  const query = { UPDATE: { entity: subject, data } };
  await dispatch(exchange, { event: "UPDATE", data, query, target: source, subject, path: source.name });
  await bindMembers(exchange, members, { source: plan.target!, subject: plan.addressed.subject! });
  const readBack = readBackByPlan(plan);
  const read = await runReadBack(exchange, plan, readBack);
  return { data: row, row: read, plan: { ...plan, shape: readBack.shape } };
}

/** What an update is made of. */
interface Change extends Partial<NewRow> {
  readonly row: Row;
  /** Checked behind authorization. */
  readonly precondition?: () => void;
}

/**
 * Updates the addressed row and reads it back; runs inside a transaction.
 *
 * @param exchange the exchange
 * @param plan the plan of an entity
 * @param body what changes, without keys, and what to link with the row
 */
export async function updateRow(
  exchange: Exchange,
  plan: Plan,
  { row: data, members = [], related = [], replaced, etags, format, precondition }: Change,
): Promise<Updated> {
  const target = plan.target!;
  const full = exchange.method === "PUT" && plan.kind === "entity" && exchange.scope.settings.putAsReplace
    ? { ...replacementDefaults(target), ...data }
    : data;
  // the precondition refuses a row that must not be there, whatever its version
  const isRefused = precondition !== undefined && exchange.preconditions.ifNoneMatch === "*";
  const where = isRefused ? undefined : tagCondition(exchange, target);
  const { subject, keys } = await addressedInstance(exchange, plan);
  await assertChangesOfType(exchange, target, { subject, data });
  const row: Row = { ...full, ...keysOfUrl(plan), ...keys };
  assertReachable(related);
  await partUnlisted(exchange, { members, related, replaced }, {
    source: target,
    subject: plan.addressed.subject!,
  });
  await createReferred(exchange, related, { entity: target, data: row });
  const outcome = await orPreconditionFailed(exchange, () =>
    dispatchWrite(exchange, {
      event: "UPDATE",
      data: row,
      query: { UPDATE: { entity: subject, data: row, ...(where ? { where } : {}) } },
      target,
      path: plan.path,
      params: plan.addressed.params,
      subject,
      method: exchange.method,
      precondition: etags?.size
        ? async () => {
          precondition?.();
          await assertNestedVersions(exchange, etags, { entity: target, subject, row: data });
        }
        : precondition,
    }));
  await createReferring(exchange, related, { entity: target, data: row });
  await bindMembers(exchange, members, { source: target, subject: plan.addressed.subject! });
  if (exchange.preferences.return === "minimal" && !etagElement(target)) return { row: null, plan };
  const { shape } = readBackByPlan(plan);
  const found = await answeredRow(exchange, target, {
    keys: { ...keysOfUrl(plan), ...keys },
    outcome,
    shape,
    read: (asObject) => readUpdated(exchange, plan, asObject ? undefined : format),
  });
  return { ...found, plan: { ...plan, shape } };
}

function updatedAnswer(exchange: Exchange, updated: Updated, format: Format): Answer {
  const { row, json, plan } = updated;
  const preference = exchange.preferences.return;
  const applied = preference ? ["return"] : [];
  const result = json ?? row;
  if (result === null || preference === "minimal") {
    const etag = tagOf(plan.target!, row);
    const minimal = preference === "minimal" ? applied : [];
    return finishAnswer(exchange, { status: 204, headers: { etag }, applied: minimal });
  }
  return entityAnswer(exchange, plan, { result, format, applied });
}

/** Answers DELETE of an entity. It enters the context of the exchange where that is needed. */
export async function deleteEntity(exchange: Exchange, plan: Plan): Promise<Answer> {
  // what goes on behind the dispatch needs no context
  await runBriefly(exchange.context, () => inTransaction(exchange, () => removeRow(exchange, plan)));
  return finishAnswer(exchange, { status: exchange.http?.res.statusCode ?? 204 });
}

/** Deletes the addressed row; runs inside a transaction. */
export async function removeRow(exchange: Exchange, plan: Plan): Promise<void> {
  const target = plan.target!; // callers have checked that the URL addresses an entity
  const where = exchange.preconditions.ifNoneMatch === "*" ? undefined : tagCondition(exchange, target);
  await orPreconditionFailed(exchange, () =>
    dispatch(exchange, {
      event: "DELETE",
      query: { DELETE: { from: plan.addressed.subject!, ...(where ? { where } : {}) } },
      target,
      path: plan.path,
      params: plan.addressed.params,
      subject: plan.addressed.subject,
      ...(exchange.preconditions.ifNoneMatch === "*" && isStored(exchange, target) && {
        precondition: async () => {
          if (await exists(exchange, plan)) assertMissing(exchange);
        },
      }),
    }));
}
