/**
 * The administrative rows of drafts: who made them, who changed them last, whom they keep out.
 *
 * @module
 */

import type { User } from "../../context/user.ts";
import type { Column, RefExpression, Row, SelectQuery, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { DRAFT_ADMINISTRATIVE_DATA, DRAFT_BASE } from "../../model/drafts/draft_names.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import type { DatabaseService } from "../database_service.ts";
import type { ServiceRequest, Statement } from "../requests/service_request.ts";
import { type DraftService, draftSettings } from "./draft_settings.ts";
import { deepFreeze } from "../../util/deep_freeze.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";

/** The name of the entity that a draft entity has drafts of. */
export function activeName(entity: LinkedEntity | undefined): string | undefined {
  const name = entity?.["@fw.draft.of"];
  return typeof name === "string" ? name : undefined;
}

/** Whether drafts start at an entity. */
export function isRoot(entity: LinkedEntity): boolean {
  return entity["@odata.draft.enabled"] === true;
}

/** The database of drafts. */
export function databaseOf({ host }: DraftService): DatabaseService {
  return host.db!; // services without database have no tables of drafts
}

/**
 * Adds the administrative row of a draft.
 *
 * @param req the request
 * @param service the service
 * @param base the deep row of the active instance, for drafts of one
 */
export async function addAdministration(
  req: ServiceRequest,
  service: DraftService,
  base?: Row,
): Promise<string> {
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
    ...(base && { [DRAFT_BASE]: JSON.stringify(base) }),
  };
  await databaseOf(service).run({ INSERT: { into: DRAFT_ADMINISTRATIVE_DATA, entries: [row] } });
  return DraftUUID;
}

/** Finds the administrative row of a draft by the parameter `uuid`. */
export const BY_UUID: readonly Xo[] = deepFreeze([
  { ref: ["DraftUUID"] },
  "=",
  { ref: ["uuid"], param: true as const },
]);

/**
 * Notes that a draft is changed, and keeps other transactions from it until this one ends.
 *
 * @throws ServiceError 404 if it is gone meanwhile
 */
export function touch(req: ServiceRequest, service: DraftService, uuid: string): MaybePromise<void> {
  const { id } = req.user;
  const data = { LastChangeDateTime: new Date().toISOString(), LastChangedByUser: id, InProcessByUser: id };
  const query = { UPDATE: { entity: DRAFT_ADMINISTRATIVE_DATA, data, where: BY_UUID } };
  return andThen(databaseOf(service).perform({ query, params: { uuid } }), (affected) => {
    if (affected === 0) throw new ServiceError({ status: 404 });
  });
}

/** How many drafts are deleted at once. */
const CLEANUP_ROWS = 1000;

/**
 * Deletes drafts that nobody has changed for long, of all services.
 *
 * @param service a service with drafts
 * @returns how many drafts are gone
 */
export async function deleteExpired(service: DraftService): Promise<number> {
  const db = databaseOf(service);
  const { deletionMs } = draftSettings(service.host.env);
  const before = new Date(Date.now() - deletionMs).toISOString();
  const isOld: Xo[] = [{ ref: ["LastChangeDateTime"] }, "<", { val: before }];
  const old = await db.run({
    SELECT: {
      from: { ref: [DRAFT_ADMINISTRATIVE_DATA] },
      columns: [{ ref: ["DraftUUID"] }],
      where: isOld,
      limit: { rows: { val: CLEANUP_ROWS } },
    },
  }) as Row[];
  let count = 0;
  for (const { DraftUUID } of old) {
    // who changes a draft at the same time keeps it
    const where: Xo[] = [{ ref: ["DraftUUID"] }, "=", { val: String(DraftUUID) }, "and", ...isOld];
    const gone = await db.run({ DELETE: { from: DRAFT_ADMINISTRATIVE_DATA, where } });
    if (gone === 0) continue;
    await deleteRows(service, String(DraftUUID));
    count++;
  }
  return count;
}

/** Deletes the rows of a draft. */
async function deleteRows(service: DraftService, uuid: string): Promise<void> {
  const where: Xo[] = [{ ref: ["DraftAdministrativeData_DraftUUID"] }, "=", { val: uuid }];
  for (const { name } of draftEntities(service.model)) {
    await databaseOf(service).run({ DELETE: { from: name, where } });
  }
}

/** The draft entities of a model. */
export function draftEntities(model: LinkedModel): readonly LinkedEntity[] {
  return model.derived(
    "draftEntities",
    () => [...model.entities()].filter((entity) => activeName(entity) !== undefined),
  );
}

/** A draft and who holds it. */
export interface HeldDraft {
  readonly uuid: string;
  readonly owner: string;
  /** The owner still keeps others out. */
  readonly isLocked: boolean;
}

/** What is read of a draft to tell who holds it. */
const HOLDER: readonly Column[] = ["DraftUUID", "CreatedByUser", "LastChangeDateTime"].map((name) => ({
  ref: ["DraftAdministrativeData", name],
  as: name,
}));

/**
 * The draft that a reference to a draft entity leads to, whoever holds it.
 *
 * @param service the service
 * @param from the reference
 */
export function heldDraft(
  service: DraftService,
  from: SelectQuery["SELECT"]["from"],
): MaybePromise<HeldDraft | undefined> {
  return readHolder(service, { query: { SELECT: { from, columns: HOLDER } } });
}

/**
 * The draft with some keys, whoever holds it: the statement of an entity is made once.
 *
 * @param service the service
 * @param drafts name of the draft entity
 * @param keys names of key elements with their values
 */
export function heldDraftOf(
  service: DraftService,
  drafts: string,
  keys: Row,
): MaybePromise<HeldDraft | undefined> {
  const query = service.model.derived(
    `heldDraft ${drafts} ${Object.keys(keys)}`,
    () => deepFreeze({ SELECT: { from: keyPath(service, drafts, keys), columns: HOLDER } }),
  );
  return readHolder(service, { query, params: keys });
}

/**
 * The path to the row with some keys, as template: its parameters have the names of the keys.
 *
 * @param service whose model has the entity
 * @param entity name of the entity
 * @param keys names of key elements with their values
 */
export function keyPath({ model }: DraftService, entity: string, keys: Row): RefExpression {
  const names = Object.keys(keys);
  return model.derived(`keyPath ${entity} ${names}`, () => {
    const where = names.flatMap((name, index): Xo[] => {
      const equal: Xo[] = [{ ref: [name] }, "=", { ref: [name], param: true }];
      return index > 0 ? ["and", ...equal] : equal;
    });
    return deepFreeze({ ref: [{ id: entity, where }] });
  });
}

function readHolder(service: DraftService, statement: Statement): MaybePromise<HeldDraft | undefined> {
  return andThen(databaseOf(service).perform(statement), (rows) => holderIn(rows as readonly Row[], service));
}

function holderIn([row]: readonly Row[], service: DraftService): HeldDraft | undefined {
  if (row === undefined) return undefined;
  const { DraftUUID, CreatedByUser, LastChangeDateTime } = row;
  const since = Date.now() - draftSettings(service.host.env).lockMs;
  return {
    uuid: String(DraftUUID),
    owner: String(CreatedByUser),
    isLocked: Date.parse(String(LastChangeDateTime)) > since,
  };
}

/** Drafts that were found for requests before these are handled. */
const FOUND: WeakMap<ServiceRequest, HeldDraft> = new WeakMap();

/**
 * Keeps the draft that a request is about for the handler of it: it is not looked for again.
 *
 * @param req the request
 * @param held its draft
 */
export function keepHeld(req: ServiceRequest, held: HeldDraft): void {
  FOUND.set(req, held);
}

/** The draft that was kept for the handler of a request. */
export function keptBy(req: ServiceRequest): HeldDraft | undefined {
  return FOUND.get(req);
}

/**
 * The draft that a request is about: the one that was found before, or the one that a reference leads to.
 *
 * @param req the request
 * @param service the service
 * @param from the reference; default: the subject of the request
 */
export function heldBy(
  req: ServiceRequest,
  service: DraftService,
  from: SelectQuery["SELECT"]["from"] = req.subject,
): MaybePromise<HeldDraft | undefined> {
  return FOUND.get(req) ?? heldDraft(service, from);
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

/**
 * Refuses who may not activate or discard a draft: others than its owner, unless a service acts for itself.
 *
 * @throws ServiceError 403 `DRAFT_LOCKED_BY_ANOTHER_USER`
 */
export function assertEnder(draft: HeldDraft, user: User): void {
  if (!user.is("system-user") && !user.is("internal-user")) assertOwn(draft, user.id);
}

/** Reads the active instance as it was. */
const BASE: SelectQuery = deepFreeze({
  SELECT: {
    from: { ref: [DRAFT_ADMINISTRATIVE_DATA] },
    columns: [{ ref: [DRAFT_BASE] }],
    where: BY_UUID,
    one: true,
  },
});

/**
 * Keeps other transactions from a draft until this one ends.
 *
 * @returns the active instance as it was when the draft was made; undefined for drafts of none
 * @throws ServiceError 404 if it is gone meanwhile
 */
export async function takeDraft(service: DraftService, uuid: string): Promise<Row | undefined> {
  const db = databaseOf(service);
  await db.lock(DRAFT_ADMINISTRATIVE_DATA, BY_UUID, { uuid });
  const row = await db.perform({ query: BASE, params: { uuid } }) as Row | null;
  if (!row) throw new ServiceError({ status: 404, code: "DRAFT_NOT_EXISTING" });
  const base = row[DRAFT_BASE];
  return typeof base === "string" ? JSON.parse(base) : undefined;
}

/** The rows of a draft. */
export interface Removed {
  readonly keys: Row;
  readonly uuid: string;
}

/** Deletes the rows of a draft with its administrative data. */
export async function removeDraft(
  service: DraftService,
  drafts: LinkedEntity,
  { keys, uuid }: Removed,
): Promise<void> {
  const db = databaseOf(service);
  await db.perform({ query: { DELETE: { from: keyPath(service, drafts.name, keys) } }, params: keys });
  const query = { DELETE: { from: DRAFT_ADMINISTRATIVE_DATA, where: BY_UUID } };
  await db.perform({ query, params: { uuid } });
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
