/**
 * POST to collections of entities, and creation by PUT and PATCH (OData Protocol 11.4.2).
 *
 * @module
 */

import { entitySetName } from "../names.ts";
import type { RefExpression, Row } from "../../cqn/cqn.ts";
import { andThenWithin, runBriefly, runWithContext } from "../../context/store.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import {
  type Answer,
  appliedReturn,
  chosenStatus,
  type Exchange,
  finishAnswer,
  inTransaction,
  rawPathOf,
} from "../exchange.ts";
import { type Format, formatFor } from "../headers/accept.ts";
import { isGenerated } from "../../model/exposure.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { mediaElement } from "../../model/edm_types.ts";
import { writeDirectly } from "../../service/routes/write_directly.ts";
import { mediaTypeOf } from "../../service/wire/read_body.ts";
import { etagElement, tagOf } from "../headers/etag.ts";
import type { EntityPlan, NavigationStep } from "../plan/plan.ts";
import type { ResultShape } from "../plan/result_shape.ts";
import { parentSteps } from "../payload/context_url.ts";
import { canonicalUrl } from "../payload/key_predicate.ts";
import { type EntityBody, readStreamBody, withEntityBody } from "../payload/request_body.ts";
import { throughOf } from "../../model/links.ts";
import type { RelatedRow } from "../payload/reading.ts";
import {
  assertMembersOfType,
  assertReachable,
  bindMembers,
  createReferred,
  createReferring,
} from "./related_rows.ts";
import {
  answeredRow,
  dispatchWrite,
  type RowReadBack,
  type WriteOutcome,
  writtenRow,
} from "./handler_row.ts";
import { changeLinks, parentLinks } from "./link_rows.ts";
import {
  type ReadBack,
  readBackAs,
  readBackByKeys,
  readBackByOptions,
  type SentTree,
  sentTree,
} from "./read_back.ts";
import { entityAnswer } from "./read_entities.ts";
import { equalities } from "../../cqn/conjunction.ts";
import { keysOf } from "../../model/keys.ts";

/** A created row as far as it is known. */
export interface Created extends RowReadBack {
  /** The data of the request after its handlers. */
  readonly data: Row;
  readonly plan: EntityPlan;
  /** What was read of the row. */
  readonly shape: ResultShape | undefined;
}

/** Answers POST to a set or a to-many navigation. It may run briefly in the context of the exchange. */
export function postEntity(exchange: Exchange, plan: EntityPlan): MaybePromise<Answer> {
  const { context } = exchange;
  const format = formatFor(exchange, plan);
  const create = (body: EntityBody) =>
    inTransaction(exchange, () => {
      const { navigation } = plan;
      const links = navigation && runWithContext(context, () => parentLinks(exchange, navigation));
      return andThenWithin<Row | undefined, Created>(context, links, (linked) => {
        const { members, related } = body;
        const row = linked || plan.cast ? { ...typeOfPath(plan), ...body.row, ...linked } : body.row;
        return createRow(exchange, plan, { row, members, related, format });
      });
    });
  return withNewEntity(exchange, plan.target, (body) =>
    runBriefly(
      context,
      () => andThenWithin(context, create(body), (made) => createdAnswer(exchange, made, format)),
    ));
}

/** The body as new row; of a media entity anything but JSON is its stream (OData Protocol 11.4.7.1). */
function withNewEntity<T>(
  exchange: Exchange,
  target: LinkedEntity,
  use: (body: EntityBody) => MaybePromise<T>,
): MaybePromise<T> {
  const media = mediaElement(target);
  if (!media) return withEntityBody(exchange, target, use);
  const type = mediaTypeOf(exchange.request.headers.get("content-type"));
  if (type === "" || type === "application/json") return withEntityBody(exchange, target, use);
  return andThen(readStreamBody(exchange, media), (row) => use({ row, members: [] }));
}

/** Behind a type cast, rows are of that type. */
function typeOfPath({ cast }: EntityPlan): Row {
  return cast ? { [cast.discriminator]: cast.values[0] } : {};
}

/**
 * Sends a row to the service.
 *
 * @param exchange the exchange
 * @param plan the plan of the URL
 * @param data the row
 */
export function dispatchCreate(exchange: Exchange, plan: EntityPlan, data: Row): MaybePromise<WriteOutcome> {
  const { target } = plan;
  const written = plan.navigation || plan.path !== target.name
    ? undefined
    : writeDirectly(exchange.scope.service, exchange.context, { target, data });
  if (written !== undefined) return andThen(written, () => writtenRow(data));
  return dispatchWrite(exchange, {
    event: "CREATE",
    data,
    query: { INSERT: { into: target.name, entries: [data] } },
    target,
    ...(plan.navigation ? { subject: collectionOf(plan.navigation) } : {}),
    path: plan.path,
    params: plan.addressed.params,
  });
}

/** The path of the collection that a row is created in. */
function collectionOf({ subject, element }: NavigationStep): RefExpression {
  return { ref: [...subject.ref, element.name] };
}

/** What a row is created from. */
export interface NewRow extends EntityBody {
  /** The format of an answer that takes the row as it is; without it, the row is read as object. */
  readonly format?: Format;
}

/**
 * Creates a row and reads it back; runs inside a transaction, maybe briefly in the context of the exchange.
 *
 * @param exchange the exchange
 * @param plan the plan of the URL
 * @param body the row, and what to link with it
 */
export function createRow(exchange: Exchange, plan: EntityPlan, body: NewRow): MaybePromise<Created> {
  const { row: data, related = [] } = body;
  const { context } = exchange;
  const { target } = plan;
  assertMembersOfType(target, data);
  assertReachable(related);
  const sent = sentTree(target, [related.length > 0 ? { ...data, ...sentRelated(related) } : data]);
  const referred = related.length > 0
    ? runWithContext(context, () => createReferred(exchange, related, { entity: target, data }))
    : undefined;
  const dispatched = andThenWithin(context, referred, () => dispatchCreate(exchange, plan, data));
  return andThenWithin<WriteOutcome, Created>(context, dispatched, (outcome) => {
    const written = outcome.row === data ? data : { ...data, ...outcome.row };
    const keys = keysOf(target, written);
    if (!keys) return withoutKey(exchange, plan, { written, outcome });
    const linked = hasLinks(plan, body)
      ? runWithContext(context, () => linkRow(exchange, plan, { body, written, keys }))
      : undefined;
    return andThenWithin<void, Created>(context, linked, () => {
      const { format } = body;
      return readCreated(exchange, plan, { written, keys, sent, format, outcome });
    });
  });
}

/** A row without key is shown where handlers gave it; there is nothing to read it by. */
function withoutKey(
  exchange: Exchange,
  plan: EntityPlan,
  { written, outcome }: Pick<Written, "written" | "outcome">,
): MaybePromise<Created> {
  const read = () => ({ row: null });
  return andThen(
    answeredRow(exchange, plan.target, { keys: {}, outcome, shape: plan.shape, read }),
    ({ row, json }) => ({ row, json, data: written, plan, shape: plan.shape }),
  );
}

/** A row that was created. */
interface Written {
  readonly written: Row;
  readonly keys: Row;
  readonly outcome: WriteOutcome;
}

/** Whether something refers to the new row, or is linked with it. */
function hasLinks({ navigation }: EntityPlan, { members, related = [] }: EntityBody): boolean {
  return members.length > 0 || related.length > 0 ||
    (navigation !== undefined && throughOf(navigation.element) !== undefined);
}

async function linkRow(
  exchange: Exchange,
  plan: EntityPlan,
  { body, written, keys }: Omit<Written, "outcome"> & { readonly body: EntityBody },
): Promise<void> {
  const { members, related = [] } = body;
  const { navigation } = plan;
  const { target } = plan;
  const subject = { ref: [{ id: target.name, where: equalities(keys) }] };
  await createReferring(exchange, related, { entity: target, data: written });
  await bindMembers(exchange, members, { source: target, subject });
  if (navigation && throughOf(navigation.element)) {
    await changeLinks(exchange, { ...navigation, added: [keys] });
  }
}

/** Reads a new row for its answer, unless that shows nothing of it. */
function readCreated(
  exchange: Exchange,
  plan: EntityPlan,
  { written, keys, outcome, sent, format }: Written & {
    readonly sent: SentTree;
    readonly format: Format | undefined;
  },
): MaybePromise<Created> {
  const { target } = plan;
  const minimal = exchange.preferences.return === "minimal";
  if (minimal && !etagElement(target)) return { data: written, row: null, plan, shape: plan.shape };
  const readBack = readBackByOptions(plan, keys) ?? readBackByKeys(target, keys, sent);
  const reading = inPath(readBack, plan, keys);
  const { shape } = readBack;
  const read = (asObject: boolean) =>
    readBackAs(exchange, plan, { readBack: reading, format: minimal || asObject ? undefined : format });
  return andThen(
    answeredRow(exchange, target, { keys, outcome, shape, read }),
    ({ row, json }) => ({ row, json, data: written, plan, shape }),
  );
}

/** Related rows by the names of their associations, at the top. */
function sentRelated(related: readonly RelatedRow[]): Row {
  const sent: Record<string, Row[]> = {};
  for (const { element, row, owner } of related) if (!owner) (sent[element.name] ??= []).push(row);
  return sent;
}

/** A part of another row is read by the path to it, whose restriction holds for it. */
function inPath(readBack: ReadBack, { navigation, target }: EntityPlan, keys: Row): ReadBack {
  if (!navigation || !isGenerated(target)) return readBack;
  const step = { id: navigation.element.name, where: equalities(keys) };
  const from = { ref: [...navigation.subject.ref, step] };
  return { ...readBack, query: { SELECT: { ...readBack.query.SELECT, from } } };
}

/** The answer with a created entity: 201, or 204 when there is nothing to show. */
export function createdAnswer(
  exchange: Exchange,
  created: Created,
  format: Format,
): Answer {
  const { plan, row, json, data, shape } = created;
  const url = plan.singleton ? entitySetName(plan.target) : canonicalUrl(plan.target, row ?? data);
  const location = url === undefined ? undefined : parentSteps(rawPathOf(exchange)) + url;
  const result = json ?? row;
  if (result === null || exchange.preferences.return === "minimal") {
    const headers = {
      location,
      "odata-entityid": location,
      etag: tagOf(plan.target, row),
    };
    const applied = appliedReturn(exchange, "minimal");
    return finishAnswer(exchange, { status: 204, headers, applied, entityUrl: url });
  }
  const status = chosenStatus(exchange) ?? 201;
  return entityAnswer(exchange, plan, {
    result,
    format,
    shape,
    status,
    headers: { location },
    applied: appliedReturn(exchange, "representation"),
    entityUrl: url,
  });
}
