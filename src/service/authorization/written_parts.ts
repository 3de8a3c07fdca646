/**
 * Deep writes: rows nested in data that belong to entities with restrictions of their own are created, changed and
 * deleted only as these permit, before and after the write (auth 7).
 *
 * @module
 */

import type { Column, EntityRef, Query, QueryParams, Row, Xo } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import type { ServiceRequest } from "../service_request.ts";
import { entityAccess } from "./access.ts";
import { forbidden } from "./refusals.ts";
import { grantedAccess, isOwnAuthority, type Pass } from "./pass.ts";
import { type AuthorizationScope, isPrivileged, passOf, type RowReader } from "./pass_of.ts";

/** A composition that data names, with those named in its rows. */
interface Named {
  readonly composition: LinkedElement;
  readonly target: LinkedEntity;
  readonly inner: readonly Named[];
}

/** A nested row that stands for itself. */
interface Part {
  readonly entity: LinkedEntity;
  readonly keys: Row;
}

/** A part as it was, and what may happen to it. */
interface OldPart {
  readonly part: Part;
  readonly mayUpdate: boolean;
  readonly mayDelete: boolean;
}

/** What there was before a write. */
export interface PartsBefore {
  readonly named: readonly Named[];
  /** Keys of the rows that are updated; none for new rows. */
  readonly owners: readonly Row[];
  readonly old: ReadonlyMap<string, OldPart>;
}

const EVENTS = ["CREATE", "UPDATE", "DELETE"];

/**
 * Refuses nested rows to those who lack every role to write them, before any handler runs.
 *
 * @param pass who asks
 * @param req the request
 * @param event its event
 * @throws ServiceError 401 or 403
 */
export function assertPartRoles(pass: Pass, req: ServiceRequest, event: string): void {
  if (!req.target) return;
  const events = event === "CREATE" ? ["CREATE"] : EVENTS;
  for (const { target, inner } of namedParts(req.target, rowsOf(req.data), true)) assertRoles(target, inner);

  function assertRoles(entity: LinkedEntity, named: readonly Named[]): void {
    const lacksAll = isOwnAuthority(entity) &&
      events.every((one) => entityAccess(entity, one, pass.user) === "none");
    if (lacksAll) grantedAccess(pass, entity, events[0]!);
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
export async function partsBefore(
  req: ServiceRequest,
  scope: AuthorizationScope,
): Promise<PartsBefore | undefined> {
  const { target } = req;
  const { db } = scope.host;
  if (!target || !db || isPrivileged(req)) return undefined;
  const named = namedParts(target, rowsOf(req.data), false);
  const pass = passOf(req, scope);
  if (!named.some((one) => isLimited(one, pass))) return undefined;
  const rows = req.event === "CREATE" ? [] : await readRows(db, target, { named, ...sourceOf(req, target) });
  const old = new Map<string, OldPart>();
  for (const part of rows.flatMap((row) => partsOf(row, named))) {
    const mayUpdate = await isPermitted(db, part, entityAccess(part.entity, "UPDATE", pass.user));
    const mayDelete = await isPermitted(db, part, entityAccess(part.entity, "DELETE", pass.user));
    old.set(idOf(part), { part, mayUpdate, mayDelete });
  }
  return { named, owners: rows.map((row) => keysOf(target, row)), old };
}

/**
 * Refuses a deep write that created, changed or deleted nested rows against their restrictions. To be called inside its
 * transaction.
 *
 * @param req the request
 * @param scope the service
 * @param before what there was
 * @throws ServiceError 401 or 403
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
  const given = req.event === "UPDATE" ? [] : rowsOf(req.data).map((row) => keysOf(target, row));
  const gone = new Map(old);
  for (const where of keyConditions(target, [...owners, ...given])) {
    const rows = await readRows(db, target, { named, from: target.name, where });
    for (const part of rows.flatMap((row) => partsOf(row, named))) {
      const id = idOf(part);
      const event = gone.delete(id) || old.has(id) ? "UPDATE" : "CREATE";
      const access = grantedAccess(pass, part.entity, event);
      if (old.get(id)?.mayUpdate === false || !await isPermitted(db, part, access)) throw forbidden();
    }
  }
  for (const { part, mayDelete } of gone.values()) {
    grantedAccess(pass, part.entity, "DELETE");
    if (!mayDelete) throw forbidden();
  }
}

/** The compositions that rows name; with `filled` only those with rows in them. */
function namedParts(entity: LinkedEntity, rows: readonly Row[], filled: boolean): Named[] {
  return [...entity.compositions].flatMap((composition): Named[] => {
    const values = rows.map((row) => row[composition.name]).filter((value) => value !== undefined);
    const target = composition.$target;
    const children = values.flatMap(rowsOf);
    if (!target || values.length === 0 || (filled && children.length === 0)) return [];
    return [{ composition, target, inner: namedParts(target, children, filled) }];
  });
}

/** Whether something is not permitted in a nested entity, or in one within. */
function isLimited({ target, inner }: Named, pass: Pass): boolean {
  const isOwn = isOwnAuthority(target) &&
    EVENTS.some((event) => entityAccess(target, event, pass.user) !== "all");
  return isOwn || inner.some((one) => isLimited(one, pass));
}

/** The rows that a statement is about. */
function sourceOf(
  req: ServiceRequest,
  target: LinkedEntity,
): { readonly from: EntityRef; readonly where?: readonly Xo[]; readonly params?: QueryParams } {
  const { query, params } = req.statement ?? {};
  if (req.event === "UPDATE" && query && "UPDATE" in query) {
    const { entity, where } = query.UPDATE;
    return { from: entity, ...(where ? { where } : {}), ...(params ? { params } : {}) };
  }
  if (req.event === "UPDATE") return { from: req.subject };
  const keys = rowsOf(req.data).map((row) => keysOf(target, row));
  const where = keyConditions(target, keys).flatMap((xpr, index): Xo[] =>
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
  return rowsOf(await db.run(query, params));
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

function partsOf(row: Row, named: readonly Named[]): Part[] {
  return named.flatMap(({ composition, target, inner }) =>
    rowsOf(row[composition.name]).flatMap((child) => [
      ...(isOwnAuthority(target) ? [{ entity: target, keys: keysOf(target, child) }] : []),
      ...partsOf(child, inner),
    ])
  );
}

async function isPermitted(
  db: RowReader,
  { entity, keys }: Part,
  access: ReturnType<typeof entityAccess>,
): Promise<boolean> {
  if (typeof access === "string") return access === "all";
  const [key] = keyConditions(entity, [keys]);
  const where: readonly Xo[] = [{ xpr: key! }, "and", { xpr: access }];
  const columns = [{ val: 1, as: "found" }];
  const row = await db.run({
    SELECT: { one: true, from: { ref: [entity.name] }, history: true, columns, where },
  });
  return row !== null && row !== undefined;
}

/** A condition for each row. */
function keyConditions(entity: LinkedEntity, rows: readonly Row[]): (readonly Xo[])[] {
  return rows.map((row) =>
    keyNames(entity).flatMap((name, index): Xo[] => {
      // What has no key yet cannot be looked at, which is no reason to let it pass.
      if (row[name] === undefined || row[name] === null) throw forbidden();
      return [...(index === 0 ? [] : ["and"]), { ref: [name] }, "=", { val: row[name] as string }];
    })
  );
}

function keysOf(entity: LinkedEntity, row: Row): Row {
  return Object.fromEntries(keyNames(entity).map((name) => [name, row[name]]));
}

function keyNames(entity: LinkedEntity): string[] {
  return [...entity.$flatKeys].filter(({ virtual }) => !virtual).map(({ name }) => name);
}

function idOf({ entity, keys }: Part): string {
  return JSON.stringify([entity.name, ...Object.values(keys)]);
}

function rowsOf(value: unknown): readonly Row[] {
  const rows = Array.isArray(value) ? value : [value];
  return rows.filter((row): row is Row => typeof row === "object" && row !== null);
}
