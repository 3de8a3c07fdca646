/**
 * Calls of a service by which handlers work with drafts: `srv.new`, `srv.edit`, `srv.save`, `srv.discard`.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { draftsOf } from "../../model/drafts/draft_names.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { DraftService } from "./draft_settings.ts";
import { activationOf } from "./activate_draft.ts";
import { activeName, assertEnder, heldDraftOf, keyWhere } from "./administration.ts";

/** An entity, its draft entity, or the name of one of them. */
export type DraftEntity = string | { readonly name: string };

/** The same, whose name carries no type of its rows. */
export type UntypedDraftEntity = string | { readonly name: string; readonly $row?: never };

/**
 * The entity of active instances, and that of drafts.
 *
 * @throws TypeError for entities without drafts
 */
function entitiesOf(
  service: DraftService,
  given: DraftEntity,
): { active: LinkedEntity; drafts: LinkedEntity } {
  const name = service.qualify(typeof given === "string" ? given : given.name);
  const entity = service.model.entity(name);
  const active = service.model.entity(activeName(entity) ?? name);
  const drafts = active && service.model.entity(draftsOf(active.name));
  if (active && drafts) return { active, drafts };
  throw new TypeError(`"${name}" has no drafts: "@odata.draft.enabled" of a service entity gives it some`);
}

/** The keys of a row. */
function keysIn({ $flatKeys }: LinkedEntity, row: Row): Row {
  return Object.fromEntries($flatKeys.map(({ name }) => [name, row[name]]));
}

/** Keys as other calls give them say of which kind the row is, which each call knows. */
function withoutKind({ IsActiveEntity: _kind, ...keys }: Row): Row {
  return keys;
}

/** Makes a new draft; its keys are given back. */
export async function newDraft(service: DraftService, entity: DraftEntity, data: Row): Promise<Row> {
  const { drafts } = entitiesOf(service, entity);
  const row = { ...data };
  await service.dispatch({
    context: service.context,
    event: "NEW",
    target: drafts,
    data: row,
    query: { INSERT: { into: drafts.name, entries: [row] } },
  });
  return { ...keysIn(drafts, row), IsActiveEntity: false };
}

/** Makes a draft of an active instance, and gives it back. */
export async function editActive(service: DraftService, entity: DraftEntity, given: Row): Promise<Row> {
  const { active } = entitiesOf(service, entity);
  const keys = withoutKind(given);
  const subject = { ref: [{ id: active.name, where: keyWhere(keys) }] };
  const row = await service.dispatch({
    context: service.context,
    event: "EDIT",
    target: active,
    data: {},
    query: { SELECT: { from: subject, one: true } },
    subject,
    params: [keys],
  });
  return { ...row as Row, IsActiveEntity: false };
}

/** Activates a draft of the caller, and gives the keys back. */
export async function saveDraft(service: DraftService, entity: DraftEntity, given: Row): Promise<Row> {
  const { drafts } = entitiesOf(service, entity);
  const keys = withoutKind(given);
  await assertHeld(service, drafts, keys);
  await service.dispatch({ context: service.context, ...activationOf(drafts, keys) });
  return keysIn(drafts, keys);
}

/** Discards a draft of the caller. */
export async function discardDraft(
  service: DraftService,
  entity: DraftEntity,
  given: Row,
): Promise<unknown> {
  const { drafts } = entitiesOf(service, entity);
  const keys = withoutKind(given);
  await assertHeld(service, drafts, keys);
  const subject = { ref: [{ id: drafts.name, where: keyWhere(keys) }] };
  const query = { DELETE: { from: subject } };
  const { context } = service;
  return await service.dispatch({ context, event: "CANCEL", target: drafts, query, subject, params: [keys] });
}

async function assertHeld(service: DraftService, drafts: LinkedEntity, keys: Row): Promise<void> {
  const held = await heldDraftOf(service, drafts.name, keys);
  if (!held) throw new ServiceError({ status: 404, code: "DRAFT_NOT_EXISTING" });
  if (service.context) assertEnder(held, service.context.user);
}
