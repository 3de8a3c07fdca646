/**
 * What the events of drafts do: NEW, EDIT, CANCEL, changes, and the write by which a draft is activated.
 *
 * @module
 */

import { stepName } from "../../cqn/steps.ts";
import type { Column, Row, SelectQuery, Xo } from "../../cqn/cqn.ts";
import { copyRow } from "../../cqn/entries_of.ts";
import { ServiceError } from "../../errors/service_error.ts";
import { DRAFT_ADMINISTRATIVE_DATA } from "../../model/drafts/draft_names.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import { andThen, inTurn, type MaybePromise } from "../../util/maybe_promise.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { ACTIVATE, activateDraft } from "./activate_draft.ts";
import {
  activeName,
  addAdministration,
  assertEnder,
  databaseOf,
  deleteExpired,
  draftEntities,
  heldBy,
  heldDraft,
  heldDraftOf,
  isRoot,
  keyWhere,
  removeDraft,
  touch,
} from "./administration.ts";
import {
  changeMessages,
  checkConstraints,
  draftKey,
  draftPath,
  keepFound,
  pathEnds,
  pathEndsOf,
  pathFromRoot,
} from "./draft_messages.ts";
import { type Activation, draftEntityOf, innerOf, runInner } from "./draft_requests.ts";
import { DRAFT_CLEANUP, type DraftService, scheduleCleanup } from "./draft_settings.ts";
import { assertLevels, deepColumns, markParts, markRows } from "./draft_tree.ts";
import { assertOwnParts, assertOwnWholes, assertStays, isInside } from "./draft_wholes.ts";
import { mergeChanges, storedRow } from "./merge_changes.ts";

/**
 * Handles a request of drafts when every `on` handler called `next()`.
 *
 * @param req the request
 * @param service the service
 * @param generic handles it like any other request; rows that are seen are no text
 */
export function handleDraft(
  req: ServiceRequest,
  service: DraftService,
  generic: (isSeen?: boolean) => unknown,
): MaybePromise<unknown> {
  if (req.event === DRAFT_CLEANUP) {
    const hasDrafts = draftEntities(service.model).length > 0;
    return hasDrafts ? deleteExpired(service) : generic() as MaybePromise<unknown>;
  }
  const inner = innerOf(req);
  if (typeof inner === "object") return writeActive(req, service, { ...inner, generic });
  switch (req.event) {
    case "NEW":
      return createDraft(req, service);
    case ACTIVATE:
      return activateDraft(req, service);
    case "EDIT":
      return editDraft(req, service);
    case "CANCEL":
      return cancelDraft(req, service);
    case "draftPrepare":
      return undefined;
    case "READ":
      return inner ? generic() as MaybePromise<unknown> : readDrafts(req, service, generic);
    case "CREATE":
      return inner ? insertDraft(req, service) : generic() as MaybePromise<unknown>;
    case "UPDATE":
      return inner ? generic() as MaybePromise<unknown> : changeDraft(req, service, generic);
    default:
      return generic() as MaybePromise<unknown>;
  }
}

/** Parts show the messages about themselves. */
function readDrafts(
  req: ServiceRequest,
  service: DraftService,
  generic: (isSeen: boolean) => unknown,
): MaybePromise<unknown> {
  const drafts = req.target!;
  const isPart = !isRoot(service.model.entity(activeName(drafts)!)!);
  const found = generic(isPart) as MaybePromise<unknown>;
  if (!isPart) return found;
  return andThen(found, (result) => {
    for (const row of [result].flat() as unknown[]) {
      if (isPlainObject(row) && Array.isArray(row.DraftMessages)) {
        row.DraftMessages = messagesOf(service, drafts, row as Row);
      }
    }
    return result;
  });
}

function messagesOf(service: DraftService, drafts: LinkedEntity, row: Row): unknown[] {
  const key = draftKey(drafts, Object.fromEntries(drafts.$flatKeys.map(({ name }) => [name, row[name]])));
  const ends = pathEnds(service, drafts, key);
  return (row.DraftMessages as readonly unknown[]).filter((message) => {
    const { target } = message as { readonly target?: unknown };
    return typeof target === "string" && ends.some((end) => target.includes(end));
  });
}

/** Writes the elements that the draft changed; those that handlers changed are of the draft. */
function writeActive(
  req: ServiceRequest,
  service: DraftService,
  { base, active, generic }: Activation & { readonly generic: () => unknown },
): MaybePromise<unknown> {
  const target = req.target!;
  const draft = req.data as Row;
  const { query, params } = req.statement!; // activations are made of a query
  if ("INSERT" in query) {
    const entries = [storedRow(target, copyRow(draft))];
    req.statement = { query: { INSERT: { ...query.INSERT, entries } }, params };
  }
  if (!("UPDATE" in query)) return generic() as MaybePromise<unknown>;
  const { data, conflicts } = mergeChanges(target, { base: base ?? {}, draft, active: active ?? {} });
  req.statement = { query: { UPDATE: { ...query.UPDATE, data } }, params };
  if (!base || conflicts.length === 0) return generic() as MaybePromise<unknown>;
  return warnOfConflicts(req, service, { base, draft: copyRow(draft) }).then(generic);
}

/** Warns of what others changed meanwhile; handlers of READ may show it otherwise than it is stored, to both sides. */
async function warnOfConflicts(
  req: ServiceRequest,
  service: DraftService,
  { base, draft }: { readonly base: Row; readonly draft: Row },
): Promise<void> {
  const target = req.target!;
  const active = await shownRow(req, service, target) ?? {};
  for (const path of mergeChanges(target, { base, draft, active }).conflicts) {
    req.warn({ code: "DRAFT_CHANGED_MEANWHILE", target: path });
  }
}

/** The active instance that a request is about, with all parts, as READ handlers show it. */
async function shownRow(
  req: ServiceRequest,
  service: DraftService,
  target: LinkedEntity,
): Promise<Row | undefined> {
  const { ref } = req.subject;
  const columns = deepColumns(service, draftEntityOf(service, target), target);
  const query: SelectQuery = { SELECT: { from: { ref }, columns, one: true } };
  // who may edit it has been decided
  const [row] = [await runInner(service, { context: req, event: "READ", target, query })]
    .flat() as (Row | null)[];
  return row ? chosen(row, columns) : undefined;
}

async function createDraft(req: ServiceRequest, service: DraftService): Promise<unknown> {
  const drafts = req.target!;
  const data = req.data as Row;
  const sent = { ...data };
  const missing = drafts.$flatKeys.find(({ name }) => (data[name] ?? null) === null);
  if (missing) throw new ServiceError({ status: 400, code: "ASSERT_MANDATORY", target: missing.name });
  const owner = await ownerOf(req, service);
  if (owner) await touch(req, service, owner);
  else {
    await deleteExpired(service);
    await scheduleCleanup(req, service);
  }
  const uuid = owner ?? await addAdministration(req, service);
  const along = compositionOf(req, service);
  const written = { service, entity: drafts, row: data, uuid, user: req.user.id, along };
  await assertOwnParts(written);
  markRows(data, drafts, { DraftAdministrativeData_DraftUUID: uuid, HasActiveEntity: false });
  const query = { INSERT: { into: drafts.name, entries: [data] } };
  await runInner(service, { context: req, event: "CREATE", target: drafts, data, query, params: req.params });
  await assertOwnWholes(written);
  const keys = Object.fromEntries(drafts.$flatKeys.map(({ name }) => [name, data[name]]));
  const from = { ref: [{ id: drafts.name, where: keyWhere(keys) }] };
  await checkConstraints(req, service, { from, written: sent });
  await keepFound(req, service, { uuid, path: () => draftPath(req, keys, service), written: {} });
  data.IsActiveEntity = false;
  return data;
}

/** Inserts a draft; what the database fills in is not what the user sent. */
async function insertDraft(req: ServiceRequest, service: DraftService): Promise<unknown> {
  const entries = [copyRow(req.data as Row)];
  await databaseOf(service).run({ INSERT: { into: req.target!.name, entries } });
  return req.data;
}

/** The draft that a new part belongs to; undefined for new roots. */
async function ownerOf(req: ServiceRequest, service: DraftService): Promise<string | undefined> {
  const path = req.subject.ref;
  if (path.length < 2) return undefined;
  const whole = { ref: path.slice(0, -1) };
  // of a nested part, the whole may be missing in a draft that is there
  const held = path.length === 2 ? await heldBy(req, service, whole) : await heldDraft(service, whole);
  if (!held) throw new ServiceError({ status: 404 });
  return held.uuid;
}

/** The composition at the end of the path of a new part. */
function compositionOf(
  { subject: { ref } }: ServiceRequest,
  { model }: DraftService,
): LinkedElement | undefined {
  const names = ref.map(stepName);
  let element: LinkedElement | undefined;
  for (const name of names.slice(1)) element = (element?.$target ?? model.entity(names[0]!))?.elements[name];
  return element;
}

async function editDraft(req: ServiceRequest, service: DraftService): Promise<unknown> {
  const db = databaseOf(service);
  const entity = req.target!;
  const drafts = draftEntityOf(service, entity);
  const { ref } = req.subject;
  await db.lock({ ref }, []);
  const row = await shownRow(req, service, entity);
  if (!row) throw new ServiceError({ status: 404 });
  assertLevels(row, drafts);
  await deleteExpired(service);
  await scheduleCleanup(req, service);
  const keys = Object.fromEntries(entity.$flatKeys.map(({ name }) => [name, row[name]]));
  const held = await heldDraftOf(service, drafts.name, keys);
  if (held) {
    const preserves = (req.data as Row).PreserveChanges !== false;
    if (held.owner === req.user.id || held.isLocked || preserves) {
      throw new ServiceError({ status: 409, code: "DRAFT_ALREADY_EXISTS" });
    }
    await removeDraft(service, drafts, { keys, uuid: held.uuid });
  }
  const DraftAdministrativeData_DraftUUID = await addAdministration(req, service, row);
  markRows(row, drafts, { DraftAdministrativeData_DraftUUID, HasActiveEntity: true });
  await db.run({ INSERT: { into: drafts.name, entries: [row] } });
  return row;
}

/** A row with what its columns name: handlers add more to the rows that they read. */
function chosen(row: Row, columns: readonly Column[]): Row {
  const copy: Row = {};
  for (const column of columns) {
    const { ref, expand } = column as {
      readonly ref: readonly string[];
      readonly expand?: readonly Column[];
    };
    const [name] = ref;
    const value = row[name!];
    if (value === undefined) continue;
    copy[name!] = !expand
      ? value
      : Array.isArray(value)
      ? value.map((item) => chosen(item as Row, expand))
      : value && chosen(value as Row, expand);
  }
  return copy;
}

async function cancelDraft(req: ServiceRequest, service: DraftService): Promise<unknown> {
  const drafts = req.target!;
  const held = await heldDraft(service, req.subject);
  if (!held) throw new ServiceError({ status: 404 });
  assertEnder(held, req.user);
  const { subject, params, data } = req;
  const isPart = await isInside(service, drafts, { from: subject, uuid: held.uuid });
  const query = { DELETE: { from: subject } };
  await runInner(service, { context: req, event: "DELETE", target: drafts, subject, params, data, query });
  if (!isPart) {
    const where: Xo[] = [{ ref: ["DraftUUID"] }, "=", { val: held.uuid }];
    await databaseOf(service).run({ DELETE: { from: DRAFT_ADMINISTRATIVE_DATA, where } });
  } else {
    await touch(req, service, held.uuid);
    const gone = pathEndsOf(req, service, draftPath(req, {}, service));
    await changeMessages(
      service,
      held.uuid,
      (kept) => kept.filter(({ target = "" }) => !gone.some((end) => `${target}/`.includes(`${end}/`))),
    );
  }
  return [];
}

function changeDraft(
  req: ServiceRequest,
  service: DraftService,
  generic: () => unknown,
): MaybePromise<unknown> {
  const held = req.isAddressed ? heldBy(req, service) : undefined;
  return andThen(held, (draft) => {
    if (draft) return changeHeld(req, service, { uuid: draft.uuid, generic });
    req.statement = statementOfOwn(req);
    return generic() as MaybePromise<unknown>;
  });
}

function changeHeld(
  req: ServiceRequest,
  service: DraftService,
  { uuid, generic }: { readonly uuid: string; readonly generic: () => unknown },
): MaybePromise<unknown> {
  const from = { ref: req.subject.ref };
  const row = req.data as Row;
  const written = { service, entity: req.target!, row, uuid, user: req.user.id, from };
  let result: unknown;
  const steps: readonly (() => MaybePromise<void>)[] = [
    () => touch(req, service, uuid),
    () => assertOwnParts(written),
    () => {
      req.statement = statementOfOwn(req, uuid);
      return andThen(generic() as MaybePromise<unknown>, (given) => void (result = given));
    },
    () => assertStays(written),
    () => assertOwnWholes(written),
    () => checkConstraints(req, service, { from, written: req.data as Row }),
    () => keepFound(req, service, { uuid, path: () => pathFromRoot(req, service), written: req.data as Row }),
  ];
  return andThen(inTurn(steps, (step) => step()), () => result);
}

/** The statement of a change with data of its own: what the database fills in is not what the user sent. */
function statementOfOwn({ statement, target }: ServiceRequest, uuid?: string): ServiceRequest["statement"] {
  if (!statement || !("UPDATE" in statement.query)) return statement;
  const { query, params } = statement;
  const data = copyRow(query.UPDATE.data as Row);
  if (uuid !== undefined) markParts(data, target!, { DraftAdministrativeData_DraftUUID: uuid });
  return { query: { UPDATE: { ...query.UPDATE, data } }, params };
}
