/**
 * Deep writes: rows nested in data that belong to entities with restrictions of their own are created, changed and
 * deleted only as these permit, before and after the write (auth 7).
 *
 * @module
 */

import type { Column, EntityRef, Query, QueryParams, Row, Xo } from "../../cqn/cqn.ts";
import type { EventContext } from "../../context/event_context.ts";
import type { ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { capabilityRefusal, incapability } from "./assert_capable.ts";
import { deletionRefusal, hasParts, isDeletionLimited } from "./deleted_parts.ts";
import { forbidden, missingCondition } from "./refusals.ts";
import { accessOf, grantedAccess, isOwnAuthority, type Pass } from "./pass.ts";
import { type AuthorizationScope, isPrivileged, passOf, type RowReader } from "./pass_of.ts";
import { assertKeys, idOf, keyConditions, keysOf, type KnownRows, permittedIds } from "./permitted_rows.ts";
import { addAll } from "../../util/add_all.ts";
import { rowsIn } from "../../cqn/entries_of.ts";
import { hasKeys, keyNames } from "../../model/keys.ts";

/** A composition that data names, with those named in its rows. */
interface Named {
  readonly composition: LinkedElement;
  readonly target: LinkedEntity;
  readonly inner: readonly Named[];
}

/** Nested rows of one entity, by id. */
interface Parts {
  readonly entity: LinkedEntity;
  readonly rows: Map<string, Row>;
}

/** Nested rows as they were, and what may happen to them. */
interface OldParts extends Parts {
  /** Ids of those that may be changed; undefined for rows that do not stand for themselves. */
  readonly updatable: ReadonlySet<string> | undefined;
  /** Why one may not be deleted, by its id. */
  readonly refusals: ReadonlyMap<string, ServiceError>;
}

/** What there was before a write. */
export interface PartsBefore {
  readonly named: readonly Named[];
  /** Keys of the rows that are updated; none for new rows. */
  readonly owners: readonly Row[];
  readonly old: ReadonlyMap<LinkedEntity, OldParts>;
}

const EVENTS = ["CREATE", "UPDATE", "DELETE"];

/**
 * Refuses nested rows to those who lack every role to write them, and those of entities that nobody may write, before
 * any handler runs.
 *
 * @param pass who asks
 * @param req the request
 * @param event its event
 * @throws ServiceError 401 or 403, 405
 */
export function assertPartRoles(pass: Pass, req: ServiceRequest, event: string): void {
  if (!req.target || !hasParts(req.target)) return;
  const events = event === "CREATE" ? ["CREATE"] : EVENTS;
  for (const { target, inner } of namedParts(req.target, rowsIn(req.data), true)) assertRoles(target, inner);

  function assertRoles(entity: LinkedEntity, named: readonly Named[]): void {
    const lacksAll = isOwnAuthority(entity) &&
      events.every((one) => accessOf(pass, entity, one) === "none");
    if (lacksAll) grantedAccess(pass, entity, events[0]!);
    const refusals = events.map((one) => capabilityRefusal(entity, one));
    if (refusals.every((refusal) => refusal !== undefined)) throw refusals[0]!;
    for (const { target, inner } of named) assertRoles(target, inner);
  }
}

/**
 * Looks at the nested rows that a write is going to change or delete.
 *
 * @param req the request, whose data is final
 * @param scope the service
 * @returns undefined if everything is permitted in all nested rows
 */
export function partsBefore(
  req: ServiceRequest,
  scope: AuthorizationScope,
): MaybePromise<PartsBefore | undefined> {
  const { target } = req;
  const { db } = scope.host;
  if (!target || !db || isPrivileged(req)) return undefined;
  const named = namedParts(target, rowsIn(req.data), false);
  if (named.length === 0) return undefined;
  const pass = passOf(req, scope);
  if (!named.some((one) => isLimited(one, pass))) return undefined;
  return readParts(req, { target, db, pass, named });
}

interface ReadingParts {
  readonly target: LinkedEntity;
  readonly db: RowReader;
  readonly pass: Pass;
  readonly named: readonly Named[];
}

async function readParts(
  req: ServiceRequest,
  { target, db, pass, named }: ReadingParts,
): Promise<PartsBefore> {
  const rows = req.event === "CREATE" ? [] : await readRows(db, target, { named, ...sourceOf(req, target) });
  const old = new Map<LinkedEntity, OldParts>();
  for (const parts of partsOf(rows, named)) old.set(parts.entity, await oldParts(db, pass, parts));
  return { named, owners: rows.map((row) => keysOf(target, row)), old };
}

async function oldParts(db: RowReader, pass: Pass, { entity, rows }: Parts): Promise<OldParts> {
  const keys = [...rows.values()];
  const updatable = isOwnAuthority(entity)
    ? await permittedIds(db, { entity, keys }, accessOf(pass, entity, "UPDATE"))
    : undefined;
  return { entity, rows, updatable, refusals: await deletionRefusals(db, pass, { entity, keys }) };
}

/** Most often all rows may be deleted, which is asked at once. */
async function deletionRefusals(
  db: RowReader,
  pass: Pass,
  { entity, keys }: KnownRows,
): Promise<ReadonlyMap<string, ServiceError>> {
  const refusals = new Map<string, ServiceError>();
  const incapable = capabilityRefusal(entity, "DELETE");
  if (incapable) return new Map(keys.map((row) => [idOf(entity, row), incapable]));
  if (!await deletionRefusal(db, pass, { entity, keys })) return refusals;
  for (const row of keys) {
    const refusal = await deletionRefusal(db, pass, { entity, keys: [row] });
    if (refusal) refusals.set(idOf(entity, row), refusal);
  }
  return refusals;
}

/**
 * Refuses a deep write that created, changed or deleted nested rows against their restrictions or capabilities. To be called inside its
 * transaction.
 *
 * @param req the request
 * @param scope the service
 * @param before what there was
 * @throws ServiceError 401 or 403, 405
 */
export async function assertWrittenParts(
  req: ServiceRequest,
  scope: AuthorizationScope,
  { named, owners, old }: PartsBefore,
): Promise<void> {
  const { target } = req;
  const { db } = scope.host;
  if (!target || !db) return;
  const pass = passOf(req, scope);
  const given = req.event === "UPDATE" ? [] : rowsIn(req.data).map((row) => keysOf(target, row));
  const found: Row[] = [];
  for (const where of conditionsOf(target, [...owners, ...given])) {
    addAll(found, await readRows(db, target, { named, from: target.name, where }));
  }
  const now = new Map(partsOf(found, named).map((parts) => [parts.entity, parts]));
  const sent = new Map(partsOf(rowsIn(req.data), named).map((parts) => [parts.entity, parts]));
  for (const parts of now.values()) {
    await assertWritten(db, pass, {
      parts,
      old: old.get(parts.entity),
      changed: changedIds(parts, sent.get(parts.entity)),
    });
  }
  for (const { entity, rows, refusals } of old.values()) {
    for (const id of rows.keys()) {
      const refusal = now.get(entity)?.rows.has(id) ? undefined : refusals.get(id);
      if (refusal) throw refusal;
    }
  }
}

/**
 * The ids of the rows that data names; of changes (`@delta`) these are not all. If it is not certain for one of them
 * which row it stands for, all rows count.
 */
function changedIds({ entity, rows }: Parts, sent: Parts | undefined): ReadonlySet<string> {
  const given = [...sent?.rows ?? []];
  const isCertain = given.every(([id, row]) => hasKeys(entity, row) && rows.has(id));
  return new Set(isCertain ? given.map(([id]) => id) : rows.keys());
}

interface WrittenParts {
  readonly parts: Parts;
  readonly old: OldParts | undefined;
  /** Ids of the rows that data names. */
  readonly changed: ReadonlySet<string>;
}

async function assertWritten(
  db: RowReader,
  pass: Pass,
  { parts: { entity, rows }, old, changed }: WrittenParts,
): Promise<void> {
  const isOld = (id: string) => old?.rows.has(id) === true;
  for (const event of ["CREATE", "UPDATE"] as const) {
    const ids = [...rows.keys()].filter((id) =>
      event === "UPDATE" ? isOld(id) && changed.has(id) : !isOld(id)
    );
    if (ids.length === 0) continue;
    const refusal = capabilityRefusal(entity, event);
    if (refusal) throw refusal;
    if (!isOwnAuthority(entity)) continue;
    const access = grantedAccess(pass, entity, event);
    if (event === "UPDATE" && !ids.every((id) => old?.updatable?.has(id))) {
      throw forbidden(() => missingCondition(entity, event));
    }
    const permitted = await permittedIds(db, { entity, keys: ids.map((id) => rows.get(id)!) }, access);
    if (!ids.every((id) => permitted.has(id))) throw forbidden(() => missingCondition(entity, event));
  }
}

/** The compositions that rows name; with `filled` only those with rows in them. */
function namedParts(entity: LinkedEntity, rows: readonly Row[], filled: boolean): Named[] {
  const named: Named[] = [];
  for (const composition of entity.compositions) {
    const values = rows.map((row) => row[composition.name]).filter((value) => value !== undefined);
    const target = composition.$target;
    const children = values.flatMap(rowsIn);
    if (!target || values.length === 0 || (filled && children.length === 0)) continue;
    named.push({ composition, target, inner: namedParts(target, children, filled) });
  }
  return named;
}

/** Whether something is not permitted in a nested entity, or in one within. */
function isLimited({ target, inner }: Named, pass: Pass): boolean {
  return isLimitedPart(target, pass) || inner.some((one) => isLimited(one, pass));
}

/** Whether something is not permitted in an entity whose rows are nested in others. */
function isLimitedPart(target: LinkedEntity, pass: Pass): boolean {
  const isOwn = isOwnAuthority(target) &&
    EVENTS.some((event) => accessOf(pass, target, event) !== "all");
  const isIncapable = EVENTS.some((event) => incapability(target, event) !== undefined);
  return isOwn || isIncapable || isDeletionLimited(target, pass);
}

/**
 * Whether a user may write all rows of an entity that are nested in others, so that nothing is asked about them.
 *
 * @param context who asks
 * @param scope the service
 * @param part the entity
 */
export function mayWriteParts(
  context: EventContext,
  scope: AuthorizationScope,
  part: LinkedEntity,
): boolean {
  return isPrivileged(context) || !isLimitedPart(part, passOf(context, scope));
}

/** The rows that a statement is about. */
function sourceOf(
  req: ServiceRequest,
  target: LinkedEntity,
): { readonly from: EntityRef; readonly where?: readonly Xo[]; readonly params?: QueryParams } {
  if (req.event === "UPDATE") {
    const { query, params } = req.statement ?? {};
    if (!query || !("UPDATE" in query)) return { from: req.subject };
    const { entity, where } = query.UPDATE;
    return { from: entity, ...(where ? { where } : {}), ...(params ? { params } : {}) };
  }
  const keys = rowsIn(req.data).map((row) => keysOf(target, row));
  const where = conditionsOf(target, keys).flatMap((xpr, index): Xo[] =>
    index === 0 ? [{ xpr }] : ["or", { xpr }]
  );
  return { from: target.name, where };
}

interface Reading {
  readonly named: readonly Named[];
  readonly from: EntityRef;
  readonly where?: readonly Xo[];
  readonly params?: QueryParams;
}

async function readRows(db: RowReader, entity: LinkedEntity, reading: Reading): Promise<readonly Row[]> {
  const { named, from, where, params } = reading;
  const ref = typeof from === "string" ? { ref: [from] } : from;
  const query: Query = {
    SELECT: { from: ref, history: true, columns: columnsOf(entity, named), ...(where ? { where } : {}) },
  };
  return rowsIn(await db.run(query, params));
}

function columnsOf(entity: LinkedEntity, named: readonly Named[]): Column[] {
  return [
    ...keyNames(entity).map((name) => ({ ref: [name] })),
    ...named.map(({ composition, target, inner }) => ({
      ref: [composition.name],
      expand: columnsOf(target, inner),
    })),
  ];
}

/** The nested rows, and the rows nested in them, by entity. */
function partsOf(rows: readonly Row[], named: readonly Named[]): readonly Parts[] {
  const parts = new Map<LinkedEntity, Parts>();
  collect(rows, named);
  return [...parts.values()];

  function collect(wholes: readonly Row[], compositions: readonly Named[]): void {
    for (const { composition, target, inner } of compositions) {
      const children = wholes.flatMap((row) => rowsIn(row[composition.name]));
      const known = parts.get(target) ?? { entity: target, rows: new Map<string, Row>() };
      parts.set(target, known);
      for (const child of children) known.rows.set(idOf(target, child), keysOf(target, child));
      collect(children, inner);
    }
  }
}

/** Conditions that find rows. */
function conditionsOf(entity: LinkedEntity, rows: readonly Row[]): readonly (readonly Xo[])[] {
  assertKeys(entity, rows);
  return keyConditions(entity, rows);
}
