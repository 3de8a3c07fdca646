/**
 * PATCH, PUT and DELETE of one entity (OData Protocol 11.4.3 to 11.4.5).
 *
 * @module
 */

import type { QueryParams, RefExpression, Row, Xo } from "../../cqn/cqn.ts";
import { assertRoles } from "../../service/authorization/restricted_read.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { foreignKeyLinks } from "../../model/links.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { andThenWithin, runBriefly, runWithContext } from "../../context/store.ts";
import { writeDirectly } from "../../service/routes/write_directly.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import {
  type Answer,
  appliedReturn,
  chosenStatus,
  dispatch,
  type Exchange,
  finishAnswer,
  inTransaction,
} from "../exchange.ts";
import { type Format, formatFor } from "../headers/accept.ts";
import { etagElement, tagOf, withTag } from "../headers/etag.ts";
import { type EntityPlan, keysOfUrl, type NavigationStep } from "../plan/plan.ts";
import type { ResultShape } from "../plan/result_shape.ts";
import { type EntityBody, readEntityBodies } from "../payload/request_body.ts";
import { type Created, createdAnswer, createRow, type NewRow } from "./create.ts";
import {
  assertChangesOfType,
  assertReachable,
  bindMembers,
  createReferred,
  createReferring,
  partUnlisted,
} from "./related_rows.ts";
import {
  answeredRow,
  dispatchWrite,
  isStored,
  replacementDefaults,
  type RowReadBack,
  type WriteOutcome,
  writtenRow,
} from "./handler_row.ts";
import { assertMissing, createdIfMissing, createdOnce, exists, mayCreate } from "./upsert.ts";
import { dispatchChange, parentLinks } from "./link_rows.ts";
import { readBackAs, readBackByPlan, runReadBack } from "./read_back.ts";
import { entityAnswer } from "./read_entities.ts";
import { assertNestedVersions, orPreconditionFailed, tagCondition } from "./row_version.ts";
import { addressedInstance, type Instance } from "./read_request.ts";

/** Answers PATCH and PUT of an entity. It may run briefly in the context of the exchange. */
export function putEntity(exchange: Exchange, plan: EntityPlan): MaybePromise<Answer> {
  const { context } = exchange;
  const format = formatFor(exchange, plan);
  return andThen(
    readEntityBodies(exchange, plan.target),
    (readBody) => runBriefly(context, () => putBody(exchange, plan, { readBody, format })),
  );
}

/** A body, which handlers may change, and the format of the answer to it. */
interface ReadBody {
  /** Gives a new one each time. */
  readonly readBody: () => EntityBody;
  readonly format: Format;
}

function putBody(sent: Exchange, plan: EntityPlan, { readBody, format }: ReadBody): MaybePromise<Answer> {
  const { context } = sent;
  let body: EntityBody | undefined = readBody();
  const etag = body.etags?.get(body.row);
  const exchange = etag === undefined ? sent : { ...sent, preconditions: withTag(sent.preconditions, etag) };
  const outcome = createdOnce<Updated | { readonly created: Created }>(exchange, plan, () => {
    const { row: given, ...others } = body ?? readBody();
    body = undefined;
    const change = { ...others, row: withoutKeys(plan.target, given), sent: given, format };
    return updateOrCreate(exchange, plan, change);
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

/** Keys in the body are ignored: the URL decides. */
export function withoutKeys(entity: LinkedEntity, body: Row): Row {
  const data = { ...body };
  for (const key of entity.$flatKeys) delete data[key.name];
  return data;
}

/** An updated row, and how to write it. */
export interface Updated extends RowReadBack {
  readonly plan: EntityPlan;
  /** What was read of the row. */
  readonly shape: ResultShape | undefined;
}

/**
 * Updates the addressed row, or creates it where that is asked for; runs inside a transaction, maybe briefly in the context
 * of the exchange.
 *
 * @param exchange the exchange
 * @param plan the plan of an entity
 * @param body what changes, without keys, and what to link with the row; `isUpsert`: a missing row is created;
 *   `sent`: what changes, with keys
 */
export function updateOrCreate(
  exchange: Exchange,
  plan: EntityPlan,
  { isUpsert = false, ...body }: Upserted,
): MaybePromise<Updated | { readonly created: Created }> {
  const { ifNoneMatch } = exchange.preconditions;
  const { row, ...others } = body;
  const precondition = ifNoneMatch === "*" ? () => assertMissing(exchange) : undefined;
  const update = () => updateRow(exchange, plan, { ...others, row, precondition });
  if (mayCreate(exchange, plan, isUpsert)) {
    return runWithContext(exchange.context, () => createOrElse(exchange, plan, { body, update }));
  }
  return createdIfMissing<Updated | { readonly created: Created }>(exchange, plan, {
    isUpsert,
    update,
    create: async () => {
      return { created: await createRow(exchange, plan, { ...others, row: keyedRow(plan, body) }) };
    },
  });
}

/** What changes, and what becomes of a row that is missing. */
interface Upserted extends NewRow {
  readonly isUpsert?: boolean;
  readonly sent?: Row;
}

/** Creates a row unless it is there. */
async function createOrElse(
  exchange: Exchange,
  plan: EntityPlan,
  { body, update }: { readonly body: Upserted; readonly update: () => MaybePromise<Updated> },
): Promise<Updated | { readonly created: Created }> {
  if (await exists(exchange, plan)) return await update();
  // What may be an update or a creation needs the roles of both.
  assertRoles({ UPDATE: { entity: plan.addressed.subject, data: {} } }, exchange.context, exchange.scope);
  const { row, sent = row, ...others } = body;
  const { navigation } = plan;
  if (navigation && isOwned(navigation)) {
    return { created: await createOwned(exchange, plan, { navigation, row: sent, ...others }) };
  }
  const links = navigation ? await parentLinks(exchange, navigation) : {};
  const whole = { ...others, row: { ...keyedRow(plan, body), ...links } };
  return { created: await createRow(exchange, plan, whole) };
}

/** The row to create: the URL says what its keys are, but that of a singleton, which has the keys of the body. */
function keyedRow(plan: EntityPlan, { row, sent = row }: Upserted): Row {
  return plan.singleton ? sent : { ...row, ...keysOfUrl(plan) };
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
  plan: EntityPlan,
  { navigation, row, members }: EntityBody & { readonly navigation: NavigationStep },
): Promise<Created> {
  const { element, source, subject } = navigation;
  if (!element.isComposition) throw new ServiceError({ status: 404 });
  const data = { [element.name]: row };
  await dispatchChange(exchange, { target: source, subject, data });
  await bindMembers(exchange, members, { source: plan.target, subject: plan.addressed.subject });
  const readBack = readBackByPlan(plan);
  const read = await runReadBack(exchange, plan, readBack);
  return { data: row, row: read, plan, shape: readBack.shape };
}

/** What an update is made of. */
interface Change extends Partial<NewRow> {
  readonly row: Row;
  /** Checked behind authorization. */
  readonly precondition?: () => void;
}

/**
 * Updates the addressed row and reads it back; runs inside a transaction, maybe briefly in the context of the exchange.
 *
 * @param exchange the exchange
 * @param plan the plan of an entity
 * @param change what changes, without keys, and what to link with the row
 */
export function updateRow(exchange: Exchange, plan: EntityPlan, change: Change): MaybePromise<Updated> {
  const { context } = exchange;
  return andThenWithin<Instance, Updated>(context, addressedInstance(exchange, plan), (instance) => {
    const { full, referred } = beforeUpdate(exchange, plan, { change, instance });
    const row: Row = { ...full, ...keysOfUrl(plan), ...instance.keys };
    return andThenWithin<void, Updated>(context, referred(row), () => {
      const written = dispatchUpdate(exchange, plan, { change, instance, full, row });
      return andThenWithin<WriteOutcome, Updated>(context, written, (outcome) => {
        const linked = linkUpdated(exchange, plan, { change, row });
        const keys = () => ({ ...keysOfUrl(plan), ...instance.keys });
        return andThenWithin<void, Updated>(
          context,
          linked,
          () => readWritten(exchange, plan, { outcome, keys, format: change.format }),
        );
      });
    });
  });
}

/** A change of a row. */
interface Changing {
  readonly change: Change;
  readonly instance: Instance;
}

/** All that is written, and what has to be done before. */
function beforeUpdate(
  exchange: Exchange,
  plan: EntityPlan,
  { change, instance: { subject } }: Changing,
): { readonly full: Row; readonly referred: (row: Row) => MaybePromise<void> } {
  const { target } = plan;
  const { row: data, members = [], related = [], replaced = [] } = change;
  const isWhole = exchange.method === "PUT" && plan.kind === "entity" && exchange.scope.settings.putAsReplace;
  const full = isWhole ? { ...replacementDefaults(target), ...data } : data;
  const referred = (row: Row) =>
    andThenWithin<void, void>(
      exchange.context,
      assertChangesOfType(exchange, target, { subject, data }),
      () => {
        if (members.length + related.length + replaced.length === 0) return;
        assertReachable(related);
        const owner = { source: target, subject: plan.addressed.subject };
        return runWithContext(exchange.context, async () => {
          await partUnlisted(exchange, { members, related, replaced }, owner);
          await createReferred(exchange, related, { entity: target, data: row });
        });
      },
    );
  return { full, referred };
}

function dispatchUpdate(
  exchange: Exchange,
  plan: EntityPlan,
  { change, instance, full, row }: Changing & { readonly full: Row; readonly row: Row },
): MaybePromise<WriteOutcome> {
  const { target } = plan;
  const { precondition, related = [] } = change;
  // the precondition refuses a row that must not be there, whatever its version
  const isRefused = precondition !== undefined && exchange.preconditions.ifNoneMatch === "*";
  const where = isRefused ? undefined : tagCondition(exchange, target);
  const send = () => sendUpdate(exchange, plan, { change, instance, row, where });
  if (plan.path !== target.name || precondition || etagElement(target)) return send();
  if (related.length > 0) return send(); // which have added foreign keys to the row
  const { service } = exchange.scope;
  const write = { target, data: full, ...placeOf(plan, instance.subject) };
  const affected = writeDirectly(service, exchange.context, write);
  if (affected === undefined) return send();
  return andThenWithin(exchange.context, affected, (rows) => rows === 0 ? send() : writtenRow(row));
}

function sendUpdate(
  exchange: Exchange,
  plan: EntityPlan,
  { change, instance: { subject }, row, where }: Changing & {
    readonly row: Row;
    readonly where: Xo[] | undefined;
  },
): MaybePromise<WriteOutcome> {
  const { target } = plan;
  const { row: data, etags, precondition } = change;
  const { place, queryParams } = placeOf(plan, subject);
  return orPreconditionFailed(exchange, () =>
    dispatchWrite(exchange, {
      event: "UPDATE",
      data: row,
      query: { UPDATE: { entity: place, data: row, ...(where ? { where } : {}) } },
      queryParams,
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
}

/**
 * What a write addresses: the template of the path, whose restricted and compiled forms are found by its identity, and the
 * values of its parameters.
 */
function placeOf(
  { from, addressed, queryParams }: EntityPlan,
  subject: RefExpression,
): { readonly place: RefExpression; readonly queryParams?: QueryParams } {
  const isTemplate = Object.isFrozen(from) && addressed.subject === subject;
  return isTemplate ? { place: from, queryParams } : { place: subject };
}

/** Links what refers to the row. */
function linkUpdated(
  exchange: Exchange,
  plan: EntityPlan,
  { change: { members = [], related = [] }, row }: { readonly change: Change; readonly row: Row },
): MaybePromise<void> {
  if (members.length + related.length === 0) return;
  const { target } = plan;
  return runWithContext(exchange.context, async () => {
    await createReferring(exchange, related, { entity: target, data: row });
    await bindMembers(exchange, members, { source: target, subject: plan.addressed.subject });
  });
}

/** The row that an update is answered with. */
function readWritten(
  exchange: Exchange,
  plan: EntityPlan,
  { outcome, keys, format }: {
    readonly outcome: WriteOutcome;
    readonly keys: () => Row;
    readonly format: Format | undefined;
  },
): MaybePromise<Updated> {
  const { target } = plan;
  if (exchange.preferences.return === "minimal" && !etagElement(target)) {
    return { row: null, plan, shape: plan.shape };
  }
  const readBack = readBackByPlan(plan);
  const { shape } = readBack;
  const read = (asObject: boolean) =>
    readBackAs(exchange, plan, { readBack, format: asObject ? undefined : format });
  const found = answeredRow(exchange, target, { keys: keys(), outcome, shape, read });
  return andThen(found, ({ row, json }) => ({ row, json, plan, shape }));
}

function updatedAnswer(exchange: Exchange, updated: Updated, format: Format): Answer {
  const { row, json, plan, shape } = updated;
  const result = json ?? row;
  if (result === null || exchange.preferences.return === "minimal") {
    const headers = { etag: tagOf(plan.target, row) };
    return finishAnswer(exchange, { status: 204, headers, applied: appliedReturn(exchange, "minimal") });
  }
  const applied = appliedReturn(exchange, "representation");
  return entityAnswer(exchange, plan, { result, format, shape, applied });
}

/** Answers DELETE of an entity. It enters the context of the exchange where that is needed. */
export function deleteEntity(exchange: Exchange, plan: EntityPlan): MaybePromise<Answer> {
  const deleted = runBriefly(
    exchange.context,
    () => inTransaction(exchange, () => removeRow(exchange, plan)),
  );
  return andThen(deleted, () => finishAnswer(exchange, { status: chosenStatus(exchange) ?? 204 }));
}

/** Deletes the addressed row; runs inside a transaction. */
export function removeRow(exchange: Exchange, plan: EntityPlan): MaybePromise<unknown> {
  const { target } = plan;
  const where = exchange.preconditions.ifNoneMatch === "*" ? undefined : tagCondition(exchange, target);
  const { place, queryParams } = placeOf(plan, plan.addressed.subject);
  return orPreconditionFailed(exchange, () =>
    dispatch(exchange, {
      event: "DELETE",
      query: { DELETE: { from: place, ...(where ? { where } : {}) } },
      queryParams,
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
