/**
 * Updating a row without a request, where nobody would see it.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import { equalities } from "../../cqn/equalities.ts";
import type { Row, UpdateQuery } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { hasParameters } from "../../model/has_parameters.ts";
import { typeHierarchy } from "../../model/derived_types.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { Service } from "../service.ts";
import { isSoundChange } from "../validation/sound_row.ts";
import { UnseenWrites } from "./unseen_writes.ts";

/** A row to change. */
export interface ChangedRow {
  /** The entity of the service. */
  readonly target: LinkedEntity;
  /** Keys of the row. */
  readonly keys: Row;
  /** What changes, without keys. */
  readonly data: Row;
}

/**
 * Updates a row in the transaction of a context, which is the current one, without a request to the service. That is done
 * where an UPDATE would come to the same: as `createAlone` does, for users who may update all rows of the entity. Versions
 * and derived types of rows are not looked at, so entities that have them are left to requests.
 *
 * @param service the service
 * @param context the context, in a transaction
 * @param row the row
 * @returns the number of rows: 0 where there is none with these keys; undefined where a request has to be sent, nothing
 *   has happened then
 * @throws ServiceError 401 or 403 for the user of a service that requires a role, and what the database throws
 */
export function updateAlone(
  service: Service,
  context: EventContext,
  { target, keys, data }: ChangedRow,
): MaybePromise<number> | undefined {
  const isSound = (length: number) => isSoundChange(target, data, length);
  const db = WRITES.database(service, context, { target, isSound });
  if (!db) return undefined;
  const query: UpdateQuery = { UPDATE: { entity: target.name, where: equalities(keys), data } };
  return db.withEngine((engine) => engine.run(query) as MaybePromise<number>);
}

const WRITES: UnseenWrites = new UnseenWrites(
  ["UPDATE"],
  (target) => typeHierarchy(target) === undefined && !hasParameters(target),
);
