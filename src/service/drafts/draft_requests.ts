/**
 * The events of drafts: NEW, EDIT, CANCEL and changes of drafts; activation.
 *
 * @module
 */

import type { Row, SelectQuery, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { DRAFT_ADMINISTRATIVE_DATA, draftsOf } from "../../model/drafts/with_drafts.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { authorizeRequest } from "../authorization/authorize_request.ts";
import type { DatabaseService } from "../database_service.ts";
import { ServiceRequest } from "../requests/service_request.ts";
import { dispatchTo } from "../service.ts";
import { fillManaged } from "../validation/fill_managed.ts";
import { validateInput } from "../validation/validate_input.ts";
import { changeMessages, checkDraftInput, draftPath, keepErrors, keepFound } from "./draft_messages.ts";
import { type DraftService, draftSettings } from "./draft_settings.ts";
import { DRAFT_ONLY, draftColumns, markRows, restore } from "./draft_tree.ts";

/** What an inner request of a draft event brings along; checks of such a request are done already, or are its own. */
type Inner = "checked" | "activation";

const INNER: WeakMap<ServiceRequest, Inner> = new WeakMap();

/** The name of the entity that a draft entity has drafts of. */
export function activeName(entity: LinkedEntity | undefined): string | undefined {
  const name = entity?.["@fw.draft.of"];
  return typeof name === "string" ? name : undefined;
}

/** Makes a request the write of the active instance by which a draft is activated. */
export function asActivation(req: ServiceRequest): ServiceRequest {
  INNER.set(req, "activation");
  return req;
}

/** Whether a request is one of the drafts. */
export function isDraftRequest(req: ServiceRequest): boolean {
  const { target } = req;
  if (target === undefined || req.operation !== undefined) return false;
  if (activeName(target) !== undefined) return true;
  return isRoot(target) && (req.event === "EDIT" || INNER.has(req));
}

/**
 * Decides what the user may do, and checks the input of a request of drafts.
 *
 * @param req a request for which `isDraftRequest` holds
 * @param service the service
 */
export async function prepareDraft(req: ServiceRequest, service: DraftService): Promise<void> {
  const inner = INNER.get(req);
  if (inner === "checked") return;
  if (inner === "activation") return await prepareActivation(req, service);
  if (req.event === "NEW") await prepareNew(req, service);
  else if (req.event === "EDIT") await prepareEdit(req, service);
  else if (req.event === "UPDATE" || req.event === "CREATE") {
    await validateInput(req, service);
    await checkInput(req, service);
  }
}

/** Checks that drafts may fail: what they find is kept. */
async function checkInput(req: ServiceRequest, service: DraftService): Promise<void> {
  if (draftSettings(service.host.env).messages) keepErrors(req);
  await checkDraftInput(req, service, activeName(req.target)!);
}

async function prepareActivation(req: ServiceRequest, service: DraftService): Promise<void> {
  await authorizeRequest(req, service);
  const whole = structuredClone(req.data) as Row;
  await validateInput(req, service);
  restore(req.data as Row, whole);
}

async function prepareNew(req: ServiceRequest, service: DraftService): Promise<void> {
  const drafts = req.target!;
  const data = req.data as Row;
  const root = service.model.entity(activeName(drafts)!)!;
  if (isRoot(root)) await authorizeRequest(asked(req, { event: "CREATE", target: root, data: {} }), service);
  for (const name of DRAFT_ONLY) delete data[name];
  const create = asked(req, { event: "CREATE", target: drafts, data });
  await validateInput(create, service);
  await checkInput(req, service);
  fillManaged(create.statement!.query, { model: service.model, context: req });
}

async function prepareEdit(req: ServiceRequest, service: DraftService): Promise<void> {
  const update = new ServiceRequest({
    context: req,
    event: "UPDATE",
    target: req.target,
    data: {},
    subject: req.subject,
    query: { UPDATE: { entity: req.subject, data: {} } },
    params: req.params,
  });
  await authorizeRequest(update, service);
}

interface Asked {
  readonly event: string;
  readonly target: LinkedEntity;
  readonly data: Row;
}

/** A request that is only asked about. */
function asked(context: ServiceRequest, { event, target, data }: Asked): ServiceRequest {
  const query = { INSERT: { into: target.name, entries: [data] } };
  return new ServiceRequest({ context, event, target, data, query });
}

/** Whether drafts start at an entity. */
export function isRoot(entity: LinkedEntity): boolean {
  return entity["@odata.draft.enabled"] === true;
}

/**
 * Handles a request of drafts when every `on` handler called `next()`.
 *
 * @param req the request
 * @param service the service
 * @param generic handles it like any other request
 */
export function handleDraft(
  req: ServiceRequest,
  service: DraftService,
  generic: () => unknown,
): MaybePromise<unknown> {
  switch (req.event) {
    case "NEW":
      return createDraft(req, service);
    case "EDIT":
      return editDraft(req, service);
    case "CANCEL":
      return cancelDraft(req, service);
    case "UPDATE":
      return INNER.has(req) ? generic() as MaybePromise<unknown> : changeDraft(req, service, generic);
    default:
      return generic() as MaybePromise<unknown>;
  }
}

/** The database of drafts. */
export function databaseOf({ host }: DraftService): DatabaseService {
  return host.db!; // services without database have no tables of drafts
}

/** Runs an inner request of a draft event. */
function runInner(
  service: DraftService,
  properties: ConstructorParameters<typeof ServiceRequest>[0],
  kind: Inner = "checked",
): MaybePromise<unknown> {
  const inner = new ServiceRequest(properties);
  INNER.set(inner, kind);
  return dispatchTo(service, inner);
}

async function createDraft(req: ServiceRequest, service: DraftService): Promise<unknown> {
  const drafts = req.target!;
  const data = req.data as Row;
  const owner = await ownerOf(req, service);
  const uuid = owner ?? await addAdministration(req, service);
  if (!owner) await deleteExpired(service);
  else await touch(req, service, owner);
  markRows(data, drafts, { DraftAdministrativeData_DraftUUID: uuid, HasActiveEntity: false });
  const query = { INSERT: { into: drafts.name, entries: [data] } };
  await runInner(service, { context: req, event: "CREATE", target: drafts, data, query, params: req.params });
  const keys = Object.fromEntries(drafts.$flatKeys.map(({ name }) => [name, data[name]]));
  await keepFound(req, service, { uuid, path: draftPath(req, keys, service), written: {} });
  return data;
}

/** The draft that a new part belongs to; undefined for new roots. */
async function ownerOf(req: ServiceRequest, service: DraftService): Promise<string | undefined> {
  const path = req.subject.ref;
  if (path.length < 2) return undefined;
  const rows = await databaseOf(service).run({
    SELECT: { from: { ref: path.slice(0, -1) }, columns: [{ ref: ["DraftAdministrativeData_DraftUUID"] }] },
  }) as Row[];
  if (rows.length === 0) throw new ServiceError({ status: 404 });
  return rows[0].DraftAdministrativeData_DraftUUID as string;
}

async function addAdministration(req: ServiceRequest, service: DraftService): Promise<string> {
  const now = req.timestamp.toISOString();
  const DraftUUID = crypto.randomUUID();
  const user = req.user.id;
  const row: Row = {
    DraftUUID,
    CreationDateTime: now,
    CreatedByUser: user,
    LastChangeDateTime: now,
    LastChangedByUser: user,
    InProcessByUser: user,
    DraftMessages: [],
  };
  await databaseOf(service).run({ INSERT: { into: DRAFT_ADMINISTRATIVE_DATA, entries: [row] } });
  return DraftUUID;
}

async function touch(req: ServiceRequest, service: DraftService, uuid: unknown): Promise<void> {
  const data = {
    LastChangeDateTime: new Date().toISOString(),
    LastChangedByUser: req.user.id,
    InProcessByUser: req.user.id,
  };
  const where = [{ ref: ["DraftUUID"] }, "=", { val: uuid as string }];
  await databaseOf(service).run({ UPDATE: { entity: DRAFT_ADMINISTRATIVE_DATA, data, where } });
}

/** Deletes drafts that nobody has changed for long. */
async function deleteExpired(service: DraftService): Promise<void> {
  const db = databaseOf(service);
  const { deletionMs } = draftSettings(service.host.env);
  const before = new Date(Date.now() - deletionMs).toISOString();
  const old = await db.run({
    SELECT: {
      from: { ref: [DRAFT_ADMINISTRATIVE_DATA] },
      columns: [{ ref: ["DraftUUID"] }],
      where: [{ ref: ["LastChangeDateTime"] }, "<", { val: before }],
    },
  }) as Row[];
  if (old.length === 0) return;
  const list = { list: old.map(({ DraftUUID }) => ({ val: DraftUUID as string })) };
  for (const entity of service.definition?.entities ?? []) {
    if (activeName(entity) === undefined) continue;
    await db.run({
      DELETE: { from: entity.name, where: [{ ref: ["DraftAdministrativeData_DraftUUID"] }, "in", list] },
    });
  }
  await db.run({ DELETE: { from: DRAFT_ADMINISTRATIVE_DATA, where: [{ ref: ["DraftUUID"] }, "in", list] } });
}

/** A draft and who holds it. */
export interface HeldDraft {
  readonly uuid: string;
  readonly owner: string;
  /** The owner still keeps others out. */
  readonly isLocked: boolean;
}

/**
 * The draft that a reference to a draft entity leads to, whoever holds it.
 *
 * @param service the service
 * @param from the reference
 */
export async function heldDraft(
  service: DraftService,
  from: SelectQuery["SELECT"]["from"],
): Promise<HeldDraft | undefined> {
  const admin = (name: string) => ({ ref: ["DraftAdministrativeData", name], as: name });
  const rows = await databaseOf(service).run({
    SELECT: { from, columns: [admin("DraftUUID"), admin("CreatedByUser"), admin("LastChangeDateTime")] },
  }) as Row[];
  if (rows.length === 0) return undefined;
  const [{ DraftUUID, CreatedByUser, LastChangeDateTime }] = rows;
  const since = Date.now() - draftSettings(service.host.env).lockMs;
  return {
    uuid: String(DraftUUID),
    owner: String(CreatedByUser),
    isLocked: Date.parse(String(LastChangeDateTime)) > since,
  };
}

/**
 * Refuses who does not hold a draft.
 *
 * @throws ServiceError 403 `DRAFT_LOCKED_BY_ANOTHER_USER`
 */
export function assertOwn(draft: HeldDraft, user: string): void {
  if (draft.owner === user) return;
  throw new ServiceError({ status: 403, code: "DRAFT_LOCKED_BY_ANOTHER_USER", args: [draft.owner] });
}

async function editDraft(req: ServiceRequest, service: DraftService): Promise<unknown> {
  const db = databaseOf(service);
  const entity = req.target!;
  const drafts = service.model.entity(draftsOf(entity.name))!;
  const { ref } = req.subject;
  const keys = ref.at(-1) as { readonly where?: readonly Xo[] };
  const query: SelectQuery = { SELECT: { from: { ref }, columns: draftColumns(drafts, entity), one: true } };
  await db.lock({ ref }, []);
  const row = await db.run(query) as Row | null;
  if (!row) throw new ServiceError({ status: 404 });
  await deleteExpired(service);
  const from = { ref: [{ id: drafts.name, where: keys.where }] };
  const held = await heldDraft(service, from);
  if (held) {
    const preserves = (req.data as Row).PreserveChanges !== false;
    if (held.owner === req.user.id || held.isLocked || preserves) {
      throw new ServiceError({ status: 409, code: "DRAFT_ALREADY_EXISTS" });
    }
    await removeDraft(service, drafts, { where: keys.where ?? [], uuid: held.uuid });
  }
  const DraftAdministrativeData_DraftUUID = await addAdministration(req, service);
  markRows(row, drafts, { DraftAdministrativeData_DraftUUID, HasActiveEntity: true });
  await db.run({ INSERT: { into: drafts.name, entries: [row] } });
  return row;
}

/** The rows of a draft. */
export interface Removed {
  readonly where: readonly Xo[];
  readonly uuid: string;
}

/** Deletes the rows of a draft with its administrative data. */
export async function removeDraft(
  service: DraftService,
  drafts: LinkedEntity,
  { where, uuid }: Removed,
): Promise<void> {
  const db = databaseOf(service);
  await db.run({ DELETE: { from: drafts.name, where } });
  const of: Xo[] = [{ ref: ["DraftUUID"] }, "=", { val: uuid }];
  await db.run({ DELETE: { from: DRAFT_ADMINISTRATIVE_DATA, where: of } });
}

async function cancelDraft(req: ServiceRequest, service: DraftService): Promise<unknown> {
  const drafts = req.target!;
  const held = await heldDraft(service, req.subject);
  if (!held) throw new ServiceError({ status: 404 });
  assertOwn(held, req.user.id);
  const { subject, params, data } = req;
  const query = { DELETE: { from: subject } };
  await runInner(service, { context: req, event: "DELETE", target: drafts, subject, params, data, query });
  if (isRoot(service.model.entity(activeName(drafts)!)!)) {
    const where: Xo[] = [{ ref: ["DraftUUID"] }, "=", { val: held.uuid }];
    await databaseOf(service).run({ DELETE: { from: DRAFT_ADMINISTRATIVE_DATA, where } });
  } else {
    await touch(req, service, held.uuid);
    const path = draftPath(req, {}, service);
    const gone = path.slice(path.lastIndexOf("("));
    await changeMessages(
      service,
      held.uuid,
      (kept) => kept.filter(({ target = "" }) => !target.includes(gone)),
    );
  }
  return [];
}

async function changeDraft(
  req: ServiceRequest,
  service: DraftService,
  generic: () => unknown,
): Promise<unknown> {
  const held = req.isAddressed ? await heldDraft(service, req.subject) : undefined;
  const result = await generic();
  if (held) {
    await touch(req, service, held.uuid);
    const path = draftPath(req, {}, service);
    await keepFound(req, service, { uuid: held.uuid, path, written: req.data as Row });
  }
  return result;
}

/** A condition on all keys. */
export function keyWhere(keys: Row): Xo[] {
  return Object.entries(keys).flatMap(([name, value], index): Xo[] => [
    ...(index > 0 ? ["and" as const] : []),
    { ref: [name] },
    "=",
    { val: value as string },
  ]);
}
