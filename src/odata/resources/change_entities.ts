/**
 * PATCH of a collection with a delta payload: rows are inserted, updated and deleted (OData Protocol 11.4.12).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { normalizeError } from "../../errors/normalize_error.ts";
import { ServiceError, unsupported } from "../../errors/service_error.ts";
import { sanitizeError } from "../../errors/sanitize_error.ts";
import { assertRoles } from "../../service/authorization/restricted_read.ts";
import {
  type Answer,
  entityPlan,
  type Exchange,
  finishAnswer,
  inTransaction,
  requestPathOf,
} from "../exchange.ts";
import { type Format, formatFor } from "../headers/accept.ts";
import { withTag } from "../headers/etag.ts";
import type { EntityPlan } from "../plan/plan.ts";
import { contextUrl } from "../payload/context_url.ts";
import { canonicalUrl, keyPredicate } from "../payload/key_predicate.ts";
import { type EntityChange, type LinkChange, readChanges } from "../payload/delta_body.ts";
import { entityBody } from "../payload/request_body.ts";
import { throughOf } from "../../model/links.ts";
import { writeEntity, writeRemoved } from "../payload/write_row.ts";
import { stringify } from "../payload/write_value.ts";
import { createRow } from "./create.ts";
import { parentLinks } from "./link_rows.ts";
import { changeLink, partMember } from "./reference.ts";
import { removeRow, updateOrCreate, withoutKeys } from "./update.ts";
import { exists, isTaken } from "./upsert.ts";
import { keysOf } from "../../model/keys.ts";
import { collectionAnswer } from "./collection_answer.ts";

/** What became of a change, as JSON. */
interface Outcome {
  readonly text: string;
  readonly failed: boolean;
}

/** Answers PATCH of a collection: all changes or none, with `continue-on-error` each for itself. */
export async function changeEntities(exchange: Exchange, plan: EntityPlan): Promise<Answer> {
  const { target } = plan;
  if (typeof plan.addressed.subject.ref.at(-1) !== "string") {
    const message = "Filtered collections are changed by $each only";
    throw unsupported(message);
  }
  const format = formatFor(exchange, plan);
  const changes = await readChanges(exchange, target);
  const goesOn = exchange.preferences.continueOnError === true && !exchange.grouped;
  const run = (change: EntityChange | LinkChange) =>
    "link" in change ? applyLink(exchange, change) : applyChange(exchange, plan, { change, format });
  const outcomes: Outcome[] = [];
  if (goesOn) {
    for (const change of changes) outcomes.push(await attempt(exchange, plan, { change, run }));
  } else {
    await withoutRace(exchange, async () => {
      outcomes.length = 0;
      for (const change of changes) outcomes.push(await run(change));
    });
  }
  return answerOf(exchange, plan, { outcomes, format });
}

/** Runs changes in a transaction; once more in another one where another request creates a row at the same time. */
async function withoutRace<T>(exchange: Exchange, run: () => Promise<T>): Promise<T> {
  const { length } = exchange.requests;
  try {
    return await inTransaction(exchange, run);
  } catch (error) {
    if (!isTaken(error) || exchange.grouped) throw error;
    exchange.requests.length = length; // what the handlers told is told again
    return inTransaction(exchange, run);
  }
}

/** A change in its own transaction; a failure is told in the answer (Core.DataModificationException). */
async function attempt(
  exchange: Exchange,
  plan: EntityPlan,
  { change, run }: {
    readonly change: EntityChange | LinkChange;
    readonly run: (change: EntityChange | LinkChange) => Promise<Outcome>;
  },
): Promise<Outcome> {
  try {
    return await withoutRace(exchange, () => run(change));
  } catch (error) {
    const { host } = exchange.scope;
    const failure = normalizeError(error, { texts: host.texts, locale: exchange.context.locale });
    if (failure.status >= 500) host.log("odata").error("A change of a collection failed:", error);
    const isLink = "link" in change;
    const told = isLink ? change.link : Object.fromEntries(
      Object.entries(change.keys).map(([name, value]) => [name, change.body[name] ?? value]),
    );
    const exception = {
      info: sanitizeError(failure, "odata"),
      failedOperation: isLink
        ? (change.isRemoved ? "unlink" : "link")
        : !change.isRemoved
        ? "upsert"
        : isParted(plan, change)
        ? "unlink"
        : "delete",
      responseCode: failure.status,
    };
    const row = { "@Core.DataModificationException": exception, ...told };
    return { text: stringify(row), failed: true };
  }
}

interface Applying {
  readonly change: EntityChange;
  readonly format: Format;
}

async function applyChange(
  exchange: Exchange,
  plan: EntityPlan,
  { change, format }: Applying,
): Promise<Outcome> {
  const { target } = plan;
  const keys = await keysOfMember(exchange, plan, change);
  if (change.isRemoved) return await removeMember(exchange, plan, { change, keys });
  const { row, ...others } = entityBody(exchange, change.body, target);
  const write = (written: Row, shape: EntityPlan["shape"]) => writeEntity(written, target, { shape, format });
  if (!keys) {
    const links = plan.navigation ? await parentLinks(exchange, plan.navigation) : {};
    const { row: created, data, shape } = await createRow(exchange, plan, {
      ...others,
      row: { ...row, ...links },
    });
    return { text: write(created ?? keysOf(target, data) ?? {}, shape), failed: false };
  }
  const { member, links } = await writtenMember(exchange, plan, keys);
  const own = { ...exchange, preconditions: preconditionsOf(change.etag) };
  const body = { ...others, row: { ...withoutKeys(target, row), ...links }, isUpsert: true };
  const outcome = await updateOrCreate(own, member, body);
  const { row: written, shape } = "created" in outcome ? outcome.created : outcome;
  return { text: write(written ?? keys, shape), failed: false };
}

async function applyLink(exchange: Exchange, change: LinkChange): Promise<Outcome> {
  await changeLink(exchange, change);
  return { text: stringify(change.link), failed: false };
}

function preconditionsOf(etag: string | undefined): Exchange["preconditions"] {
  return etag === undefined ? {} : withTag({}, etag);
}

/** The keys of a member; those of a part may be in the URL of its whole. */
async function keysOfMember(
  exchange: Exchange,
  plan: EntityPlan,
  { keys }: EntityChange,
): Promise<Row | undefined> {
  const { target } = plan;
  const own = keysOf(target, keys);
  if (own || !plan.navigation) return own;
  return keysOf(target, { ...keys, ...await parentLinks(exchange, plan.navigation) });
}

/** A member to write. What is in no collection, or in another one, is linked with the row around by being written. */
async function writtenMember(
  exchange: Exchange,
  plan: EntityPlan,
  keys: Row,
): Promise<{ readonly member: EntityPlan; readonly links?: Row }> {
  const { navigation } = plan;
  const member = memberOf(exchange, plan, keys);
  const url = canonicalUrl(plan.target, keys);
  const isOwn = !navigation || navigation.element.isComposition || throughOf(navigation.element);
  if (isOwn || url === undefined || await exists(exchange, member)) return { member };
  const elsewhere = entityPlan(exchange, url, "PATCH");
  if (!await exists(exchange, elsewhere)) return { member };
  return { member: elsewhere, links: await parentLinks(exchange, navigation) };
}

/** Whether a row only leaves the collection: it is no part of the row around, and not said to be deleted. */
function isParted({ navigation }: EntityPlan, { reason }: EntityChange): boolean {
  return navigation !== undefined && !navigation.element.isComposition && reason !== "deleted";
}

interface Removing {
  readonly change: EntityChange;
  readonly keys: Row | undefined;
}

/** Deletes a member, or parts it from the row around; one that is not there is gone already. */
async function removeMember(
  exchange: Exchange,
  plan: EntityPlan,
  { change, keys }: Removing,
): Promise<Outcome> {
  if (!keys) throw new ServiceError({ status: 400, message: "What is removed needs its keys or its id" });
  const member = memberOf(exchange, plan, keys);
  const subject = member.addressed.subject;
  const isUnlinked = isParted(plan, change);
  const own = { ...exchange, preconditions: preconditionsOf(change.etag ?? "*") };
  if (!exchange.scope.host.db || await exists(exchange, member)) {
    if (isUnlinked) await partMember(own, member);
    else await removeRow(own, member);
  } else {
    const query = isUnlinked ? { UPDATE: { entity: subject, data: {} } } : { DELETE: { from: subject } };
    assertRoles(query, exchange.context, exchange.scope);
  }
  const reason = isUnlinked ? "changed" : "deleted";
  return { text: writeRemoved(plan.target, keys, { version: exchange.version, reason }), failed: false };
}

/** The plan of a member of the collection. */
function memberOf(exchange: Exchange, plan: EntityPlan, keys: Row): EntityPlan {
  const { rawUrl } = exchange;
  const at = rawUrl.indexOf("?");
  const options = at < 0 ? "" : rawUrl.slice(at);
  return entityPlan(exchange, `${plan.addressed.url}${keyPredicate(plan.target, keys)}${options}`, "PATCH");
}

function answerOf(
  exchange: Exchange,
  plan: EntityPlan,
  { outcomes, format }: { readonly outcomes: readonly Outcome[]; readonly format: Format },
): Answer {
  const { return: preference, continueOnError } = exchange.preferences;
  const applied = [
    ...(preference ? ["return"] : []),
    ...(continueOnError === undefined || exchange.grouped ? [] : ["continue-on-error"]),
  ];
  const told = preference === "representation" ? outcomes : outcomes.filter(({ failed }) => failed);
  if (told.length === 0 && preference !== "representation") {
    return finishAnswer(exchange, { status: 204, applied });
  }
  const context = `${contextUrl(plan, requestPathOf(exchange), true)}/$delta`;
  return collectionAnswer(exchange, format, { context, texts: told.map(({ text }) => text), applied });
}
