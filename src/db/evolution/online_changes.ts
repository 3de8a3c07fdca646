/**
 * Changes that keep nobody waiting: what takes long is done behind the transaction.
 *
 * @module
 */

import type { IndexDdl } from "../ddl/index_ddl.ts";
import type { LaterStatement, OnlineStatements, SchemaChanges, TableChange } from "./diff_schemas.ts";

/** What is done at once, and what is done later. */
export interface OnlineChanges {
  readonly changed: readonly TableChange[];
  readonly indexes: readonly IndexDdl[];
  readonly later: readonly LaterStatement[];
}

/** What a deployment changes. */
export interface OfflineChanges {
  readonly changes: SchemaChanges;
  readonly indexes: readonly IndexDdl[];
  /** Names of the indexes that are there. */
  readonly known: readonly string[];
}

/**
 * Splits changes. Tables that are made now are empty: nothing of them takes long.
 *
 * @param offline all that is to be done
 * @param online the statements of the database
 */
export function onlineChanges(
  { changes, indexes, known }: OfflineChanges,
  online: OnlineStatements,
): OnlineChanges {
  const later: LaterStatement[] = [];
  const changed = changes.changed.map((change) => ({
    ...change,
    addedConstraints: change.addedConstraints.map((constraint) => {
      const one = online.constraint(change.after.name, constraint);
      if (one === undefined) return constraint;
      later.push(one.later);
      return { ...constraint, definition: one.definition };
    }),
  }));
  const created = new Set(changes.created.map(({ name }) => name));
  const isAtOnce = ({ name, table }: IndexDdl) => created.has(table) || known.includes(name);
  later.push(...indexes.filter((one) => !isAtOnce(one)).map((one) => online.index(one)));
  return { changed, indexes: indexes.filter(isAtOnce), later };
}
