/**
 * Rows are deleted with their parts: those that carry a restriction of their own must be ones that the user may delete,
 * at any depth (auth 7).
 *
 * @module
 */

import type { EntityRef, Query, QueryParams, Row, Xo } from "../../cqn/cqn.ts";
import { isServiceError, type ServiceError } from "../../errors/service_error.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import { forbidden, missingCondition } from "./refusals.ts";
import { accessOf, grantedAccess, isOwnAuthority, type Pass } from "./pass.ts";
import { type AuthorizationScope, isPrivileged, passOf, type RowReader } from "./pass_of.ts";
import { idOf, keyConditions, keysOf, type KnownRows, permittedIds } from "./permitted_rows.ts";
import { keyNames } from "../../model/keys.ts";

/**
 * Refuses to delete rows with parts that the user may not delete. To be called before the statement of a DELETE runs,
 * inside its transaction.
 *
 * @param req the request, whose statement has the conditions of the user
 * @param scope the service
 * @throws ServiceError 401 or 403
 */
export function assertDeletableParts(req: ServiceRequest, scope: AuthorizationScope): MaybePromise<void> {
  const { target } = req;
  const { db } = scope.host;
  if (!target || !db || isPrivileged(req) || !hasParts(target)) return;
  const pass = passOf(req, scope);
  if (isDeletionLimited(target, pass)) return assertLimited(req, { target, db, pass });
}

/** Whether an entity has compositions. */
export function hasParts({ compositions }: LinkedEntity): boolean {
  for (const _ of compositions) return true;
  return false;
}

interface Deleting {
  readonly target: LinkedEntity;
  readonly db: RowReader;
  readonly pass: Pass;
}

async function assertLimited(req: ServiceRequest, { target, db, pass }: Deleting): Promise<void> {
  const { subject } = req;
  const { query, params } = req.statement ?? {};
  const { from, where } = query && "DELETE" in query ? query.DELETE : { from: subject, where: undefined };
  const keys = await readKeys(db, target, { from, where, params });
  const visited = new Set(keys.map((row) => idOf(target, row)));
  await assertParts(db, pass, { entity: target, keys, visited });
}

/**
 * Why rows may not be deleted with all their parts.
 *
 * @param db the database
 * @param pass who asks
 * @param rows rows that may stand for themselves or not
 * @returns undefined if they may be
 */
export async function deletionRefusal(
  db: RowReader,
  pass: Pass,
  rows: KnownRows,
): Promise<ServiceError | undefined> {
  const visited = new Set(rows.keys.map((row) => idOf(rows.entity, row)));
  try {
    await assertDeletable(db, pass, rows);
    await assertParts(db, pass, { ...rows, visited });
    return undefined;
  } catch (error) {
    if (isServiceError(error) && [401, 403].includes(Number(error.status))) return error;
    throw error;
  }
}

/**
 * Whether the deletion of rows may fail because of their parts.
 *
 * @param entity the entity of the rows
 * @param pass who asks
 */
export function isDeletionLimited(entity: LinkedEntity, pass: Pass): boolean {
  return authoritiesBelow(entity).some((part) => accessOf(pass, part, "DELETE") !== "all");
}

const BELOW: WeakMap<LinkedEntity, readonly LinkedEntity[]> = new WeakMap();

/** The entities that stand for themselves whose rows are deleted with those of an entity. */
function authoritiesBelow(entity: LinkedEntity): readonly LinkedEntity[] {
  let below = BELOW.get(entity);
  if (below === undefined) {
    const found = new Set<LinkedEntity>();
    const visit = (one: LinkedEntity) => {
      for (const { $target: part } of partsOf(one)) {
        if (found.has(part!)) continue;
        found.add(part!);
        visit(part!);
      }
    };
    visit(entity);
    BELOW.set(entity, below = [...found].filter(isOwnAuthority));
  }
  return below;
}

/** The compositions whose rows are deleted with those of an entity. */
function partsOf(entity: LinkedEntity): LinkedElement[] {
  return [...entity.compositions].filter(({ $target }) =>
    $target !== undefined && $target["@cds.persistence.skip"] !== true
  );
}

async function assertDeletable(db: RowReader, pass: Pass, { entity, keys }: KnownRows): Promise<void> {
  if (!isOwnAuthority(entity) || keys.length === 0) return;
  const access = grantedAccess(pass, entity, "DELETE");
  const permitted = await permittedIds(db, { entity, keys }, access);
  if (!keys.every((row) => permitted.has(idOf(entity, row)))) {
    throw forbidden(() => missingCondition(entity, "DELETE"));
  }
}

interface Wholes extends KnownRows {
  /** Ids of rows that were looked at: rows can be parts of each other. */
  readonly visited: Set<string>;
}

async function assertParts(db: RowReader, pass: Pass, { entity, keys, visited }: Wholes): Promise<void> {
  for (const composition of partsOf(entity)) {
    const target = composition.$target!;
    const isLimited = isOwnAuthority(target) && accessOf(pass, target, "DELETE") !== "all";
    if (!isLimited && !isDeletionLimited(target, pass)) continue;
    for (const where of keyConditions(entity, keys)) {
      const found = await readKeys(db, target, {
        from: { ref: [{ id: entity.name, where }, composition.name] },
      });
      const parts = found.filter((row) => !visited.has(idOf(target, row)));
      for (const row of parts) visited.add(idOf(target, row));
      await assertDeletable(db, pass, { entity: target, keys: parts });
      if (parts.length > 0) await assertParts(db, pass, { entity: target, keys: parts, visited });
    }
  }
}

interface Reading {
  readonly from: EntityRef;
  readonly where?: readonly Xo[] | undefined;
  readonly params?: QueryParams | undefined;
}

async function readKeys(db: RowReader, entity: LinkedEntity, reading: Reading): Promise<readonly Row[]> {
  const { from, where, params } = reading;
  const columns = keyNames(entity).map((name) => ({ ref: [name] }));
  const source = typeof from === "string" ? { ref: [from] } : from;
  const query: Query = {
    SELECT: { from: source, history: true, columns, ...(where?.length ? { where } : {}) },
  };
  return (await db.run(query, params) as readonly Row[]).map((row) => keysOf(entity, row));
}
