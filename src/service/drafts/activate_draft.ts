/**
 * Activation: a draft becomes the active instance.
 *
 * @module
 */

import type { Validity } from "../../context/event_context.ts";
import { currentContext } from "../../context/store.ts";
import type { Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { isStamped } from "../../model/filled_on.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { validityElements } from "../../model/valid_slice.ts";
import { ServiceRequest, type ServiceRequestProperties } from "../requests/service_request.ts";
import { dispatchTo } from "../service.ts";
import {
  activeName,
  databaseOf,
  type HeldDraft,
  heldDraftOf,
  keptBy,
  keyPath,
  keyWhere,
  removeDraft,
  takeDraft,
} from "./administration.ts";
import { isInside } from "./draft_wholes.ts";
import { asActivation } from "./draft_requests.ts";
import type { DraftService } from "./draft_settings.ts";
import { assertLevels, deepRowQuery } from "./draft_tree.ts";

/** Requests by which instances were made that were not there before. */
const MADE: WeakSet<ServiceRequest> = new WeakSet();

/** Whether a request has made an active instance: there was none before. */
export function hasMade(req: ServiceRequest): boolean {
  return MADE.has(req);
}

/** The event by which a draft is activated: its handlers are those of the draft entity. */
export const ACTIVATE = "ACTIVATE";

/**
 * What a request has to say to activate a draft.
 *
 * @param drafts the draft entity
 * @param keys the keys of the draft
 */
export function activationOf(drafts: LinkedEntity, keys: Row): Pick<
  ServiceRequestProperties,
  "event" | "target" | "data" | "query" | "params" | "subject"
> {
  const subject = { ref: [{ id: drafts.name, where: keyWhere(keys) }] };
  const query = { SELECT: { from: subject, one: true } };
  return { event: ACTIVATE, target: drafts, data: { ...keys }, query, params: [keys], subject };
}

/**
 * Makes a draft the active instance, with all checks.
 *
 * @param outer the request made of `activationOf`
 * @param service the service
 * @returns the row of the draft
 */
export async function activateDraft(outer: ServiceRequest, service: DraftService): Promise<Row> {
  const drafts = outer.target!;
  const target = service.model.entity(activeName(drafts)!)!;
  const keys = outer.params.at(-1)!;
  const held = keptBy(outer) ?? await heldDraftOf(service, drafts.name, keys);
  if (!held) throw new ServiceError({ status: 404, code: "DRAFT_NOT_EXISTING" });
  const from = { ref: [{ id: drafts.name, where: keyWhere(keys) }] };
  if (await isInside(service, drafts, { from, uuid: held.uuid })) {
    throw new ServiceError({ status: 422, code: "DRAFT_MODIFICATION_ONLY_VIA_ROOT" });
  }
  const base = await takeDraft(service, held.uuid);
  return await inSlice(sliceOf(target, base), () => activate(outer, service, { held, base }));
}

/** The period in which the slice of temporal data begins that a row is; undefined for other rows. */
export function sliceOf(entity: LinkedEntity, row: Row | undefined): Validity | undefined {
  const begin = row?.[validityElements(entity).from?.name ?? ""];
  if (typeof begin !== "string") return undefined;
  const from = new Date(begin);
  return { from, to: new Date(from.getTime() + 1) };
}

async function inSlice<T>(slice: Validity | undefined, run: () => Promise<T>): Promise<T> {
  const context = slice && currentContext();
  if (!context) return await run();
  const asked = context.validity;
  context.validity = slice;
  try {
    return await run();
  } finally {
    context.validity = asked;
  }
}

interface Activated {
  readonly held: HeldDraft;
  readonly base: Row | undefined;
}

async function activate(
  outer: ServiceRequest,
  service: DraftService,
  { held, base }: Activated,
): Promise<Row> {
  const drafts = outer.target!;
  const keys = outer.params.at(-1)!;
  const db = databaseOf(service);
  const target = service.model.entity(activeName(drafts)!)!;
  const subject = { ref: [{ id: target.name, where: keyWhere(keys) }] };
  await db.lock(keyPath(service, target.name, keys), undefined, keys);
  const ofActive = deepRowQuery(service, drafts, { entity: target, keys });
  const active = await db.perform({ query: ofActive, params: keys }) as Row | null;
  // a new draft is none of the instance that somebody else made with its key
  if (active && !base) throw new ServiceError({ status: 409, code: "ENTITY_ALREADY_EXISTS" });
  // READ handlers tell what is calculated
  const query = deepRowQuery(service, drafts, { entity: drafts, keys });
  const read = new ServiceRequest({
    context: outer,
    event: "READ",
    target: drafts,
    data: { ...keys },
    query,
    queryParams: keys,
    subject: { ref: [{ id: drafts.name, where: keyWhere(keys) }] },
  });
  const row = await dispatchTo(service, read) as Row | null;
  if (!row) throw new ServiceError({ status: 404, code: "DRAFT_NOT_EXISTING" });
  for (const one of active ? [row, active] : [row]) assertLevels(one, drafts);
  const isNew = active === null;
  const data = sentRow(row, target, isNew);
  const common = { context: outer, target, data, subject, params: [keys] };
  const req = new ServiceRequest(
    isNew
      ? { ...common, event: "CREATE", query: { INSERT: { into: target.name, entries: [data] } } }
      : { ...common, event: "UPDATE", query: { UPDATE: { entity: subject, data } } },
  );
  asActivation(req, { base, active: active ?? undefined });
  await dispatchTo(service, req);
  await removeDraft(service, drafts, { keys, uuid: held.uuid });
  if (isNew) MADE.add(outer);
  return row;
}

/**
 * The row as handlers of the active instance see it. Who created and changed a row is found out again, but for the
 * version that clients know; what cannot be changed is no matter of changes.
 */
function sentRow(row: Row, entity: LinkedEntity, isNew: boolean): Row {
  const copy: Row = {};
  for (const [name, value] of Object.entries(row)) {
    const element = entity.$flat.get(name)?.annotated;
    if (element && isStamped(element) && element["@odata.etag"] !== true) continue;
    if (!isNew && element?.["@Core.Immutable"] === true && !element.key) continue;
    const part = entity.elements[name]?.isComposition ? entity.elements[name].$target : undefined;
    copy[name] = !part
      ? value
      : Array.isArray(value)
      ? value.map((item) => sentRow(item as Row, part, true))
      : value && sentRow(value as Row, part, true);
  }
  return copy;
}
