import { toSteps } from "../../algebra/to_cqn.ts";
import type { Query, RefExpression, Row, Xo } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { type Access, withAccess } from "./access.ts";
import { type AuthorizationScope, isPrivileged, passOf, type RowReader } from "./pass_of.ts";
import { anyOf } from "../../cqn/conjunction.ts";
import { keyColumns, keyNames } from "../../model/keys.ts";
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
  const ids = new Set<string>();
  const columns = keyColumns(entity);
  for (const where of keyConditions(entity, keys)) {
    const query: Query = {
      SELECT: { from: { ref: toSteps([withAccess(entity.name, access)]) }, history: true, columns, where },
    };
    for (const row of await db.run(query) as readonly Row[]) ids.add(idOf(entity, row));
  }
  return ids;
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
  const columns = keyNames(entity).map((name) => ({ ref: [name] }));
  const found = await db.run({ SELECT: { from: subject, history: true, columns } }) as readonly Row[];
  if (found.length === 0) return;
  const keys = found.map((row) => keysOf(entity, row));
  const permitted = await permittedIds(db, { entity, keys }, grantedAccess(pass, entity, event));
  if (!keys.every((row) => permitted.has(idOf(entity, row)))) {
    throw forbidden(() => missingCondition(entity, event));
  }
}
