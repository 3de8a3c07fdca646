/**
 * Creating a row without requests, where nobody would see them.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { InsertQuery, Row, SelectQuery } from "../../cqn/cqn.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import type { Service } from "../service.ts";
import type { Statement } from "../requests/service_request.ts";
import { UnseenWrites } from "./unseen_writes.ts";
import { fillManaged } from "../validation/fill_managed.ts";
import { isSound } from "../validation/sound_row.ts";

/** A row to create. */
export interface NewRow {
  /** The entity of the service. */
  readonly target: LinkedEntity;
  /** The row, which is completed. */
  readonly row: Row;
  /** Reads the row again once it is complete, by a query that names the entity and nothing else. */
  readonly readBack: (row: Row) => ReadBack | undefined;
}

type ReadBack = Statement & { readonly query: SelectQuery };

/**
 * Inserts a row and reads it back in the transaction of a context, which is the current one, without requests to the
 * service. That is done where a CREATE and the READ behind it would come to the same:
 *
 * - no handler of the service or of the database is registered for either, not even for errors, and the class of the
 *   service overrides none of the steps;
 * - the user may create and read all rows of the entity;
 * - the row has no nested rows, refers to nothing that is checked, and the checks of input find and change nothing in it.
 *
 * Then all that would happen to the requests are the statements that are run here. Hooks of the commit are asked as usual.
 *
 * @param service the service
 * @param context the context, in a transaction
 * @param created the row
 * @returns the row as `JsonRows` or object, or null; undefined where requests have to be sent, nothing has happened then
 * @throws ServiceError 401 or 403 for the user of a service that requires a role, and what the database throws
 */
export function createAlone(
  service: Service,
  context: EventContext,
  { target, row, readBack }: NewRow,
): MaybePromise<unknown> | undefined {
  const isSoundRow = (length: number) => isSound(target, row, length);
  const db = WRITES.database(service, context, { target, isSound: isSoundRow });
  if (!db) return undefined;
  const insert: InsertQuery = { INSERT: { into: target.name, entries: [row] } };
  fillManaged(insert, { model: db.model, context });
  return db.withEngine((engine) =>
    andThen(engine.run(insert), () => {
      const read = readBack(row);
      if (!read) return null;
      return engine.readJson?.(read.query, read.params) ?? engine.run(read.query, read.params);
    })
  );
}

const WRITES: UnseenWrites = new UnseenWrites(["CREATE", "READ"]);
