import { toSteps } from "../../algebra/to_cqn.ts";
import type { TreeStep } from "../../algebra/tree.ts";
import type { EntityRef, Query, QueryParams, RefExpression, Row, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { type Access, withAccess } from "./access.ts";
import { type AuthorizationScope, isPrivileged, passOf, type RowReader } from "./pass_of.ts";
import { anyOf } from "../../cqn/conjunction.ts";
import { hasKeys, keyColumns, keyNames } from "../../model/keys.ts";
import type { EventContext } from "../../context/event_context.ts";
import { forbidden, missingCondition } from "./refusals.ts";
import { accessOf, grantedAccess, isOwnAuthority } from "./pass.ts";

/** Rows of an entity; their keys are known. */
export interface KnownRows {
  readonly entity: LinkedEntity;
  readonly keys: readonly Row[];
}

/** Rows that one statement names: engines bound the depth of expressions and the number of values. */
const ROWS_AT_ONCE = 100;

/**
 * The ids of the rows that a user may do something with.
 *
 * @param db the database
 * @param rows the rows
 * @param access what the user may do
 * @returns ids as `idOf` gives them for keys as the database has them
 */
export async function permittedIds(
  db: RowReader,
  { entity, keys }: KnownRows,
  access: Access,
): Promise<ReadonlySet<string>> {
  if (access === "none") return new Set();
  if (access === "all") return new Set(keys.map((row) => idOf(entity, row)));
  return await idsOn([withAccess(entity.name, access)], db, { entity, keys });
}

/**
 * The ids of the rows to which a path leads.
 *
 * @param path the path
 * @param db the database
 * @param rows the rows
 */
export async function idsOn(
  path: readonly TreeStep[],
  db: RowReader,
  { entity, keys }: KnownRows,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const from = { ref: toSteps(path) };
  for (const where of keyConditions(entity, keys)) {
    for (const row of await readKeys(db, entity, { entity: from, where })) ids.add(idOf(entity, row));
  }
  return ids;
}

/** Rows that a statement is about. */
interface Addressed {
  readonly entity: EntityRef;
  readonly where?: readonly Xo[];
  readonly params?: QueryParams;
}

/**
 * The keys of the rows that a statement is about.
 *
 * @param db the database
 * @param entity the entity of the rows
 * @param given where they are
 */
export function readKeys(
  db: RowReader,
  entity: LinkedEntity,
  { entity: source, where, params }: Addressed,
): Promise<readonly Row[]> {
  const from = typeof source === "string" ? { ref: [source] } : source;
  const query: Query = {
    SELECT: { from, history: true, columns: keyColumns(entity), ...(where && { where }) },
  };
  return db.run(query, params) as Promise<readonly Row[]>; // of many
}

/**
 * Conditions that find rows by their keys, each for as many rows as one statement may name.
 *
 * @param entity the entity
 * @param rows rows with all their keys
 */
export function keyConditions(entity: LinkedEntity, rows: readonly Row[]): readonly (readonly Xo[])[] {
  const names = keyNames(entity);
  const conditions: (readonly Xo[])[] = [];
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const some = rows.slice(start, start + ROWS_AT_ONCE);
    conditions.push(anyOf(names, some));
  }
  return conditions;
}

/**
 * Refuses rows without keys: nothing can be said about them, which is no reason to let them pass.
 *
 * @throws ServiceError 403
 */
export function assertKeys(entity: LinkedEntity, rows: readonly Row[]): void {
  if (rows.every((row) => hasKeys(entity, row))) return;
  throw forbidden(() => `A row of ${entity} without keys cannot be checked`);
}

/** The keys of a row. */
export function keysOf(entity: LinkedEntity, row: Row): Row {
  return Object.fromEntries(keyNames(entity).map((name) => [name, row[name]]));
}

/** A text that stands for a row among those of all entities. */
export function idOf(entity: LinkedEntity, row: Row): string {
  return JSON.stringify([entity.name, ...keyNames(entity).map((name) => String(row[name]))]);
}

/** A nested row, and what is to happen to it. */
export interface NamedPart {
  readonly entity: LinkedEntity;
  /** The path to it. */
  readonly subject: RefExpression;
  readonly event: "UPDATE" | "DELETE";
}

/**
 * Refuses a nested row of an entity with a restriction of its own to who may not do what is to happen to it. One that is
 * not there is nobody's.
 *
 * @param part the row
 * @param context the context of the request
 * @param scope the service
 * @throws ServiceError 401 or 403
 */
export async function assertChangeablePart(
  { entity, subject, event }: NamedPart,
  context: EventContext,
  scope: AuthorizationScope,
): Promise<void> {
  const { db } = scope.host;
  if (!db || isPrivileged(context) || !isOwnAuthority(entity)) return;
  if (entity["@cds.persistence.skip"] === true) return;
  const pass = passOf(context, scope);
  if (accessOf(pass, entity, event) === "all") return;
  const found = await readKeys(db, entity, { entity: subject });
  if (found.length === 0) return;
  const keys = found.map((row) => keysOf(entity, row));
  const permitted = await permittedIds(db, { entity, keys }, grantedAccess(pass, entity, event));
  if (!keys.every((row) => permitted.has(idOf(entity, row)))) {
    throw forbidden(() => missingCondition(entity, event));
  }
}
