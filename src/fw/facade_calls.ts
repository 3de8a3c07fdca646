/**
 * What of the facade is done by the primary database: `fw.read(…)`, `fw.insert(…)` (api 1).
 *
 * @module
 */

import type { DeleteBuilder } from "../cqn/builders/delete.ts";
import { DELETE } from "../cqn/builders/delete.ts";
import type { EntityArgument } from "../cqn/builders/entity_argument.ts";
import { INSERT, type InsertBuilder, UPSERT, type UpsertBuilder } from "../cqn/builders/insert.ts";
import { SELECT, type SelectBuilder } from "../cqn/builders/select.ts";
import { UPDATE, type UpdateBuilder } from "../cqn/builders/update.ts";
import type { Query, Row } from "../cqn/cqn.ts";
import { currentRuntime } from "./current.ts";
import { FacadeValues } from "./facade_values.ts";

/** The members of the facade that start queries on the primary database. */
export class FacadeCalls extends FacadeValues {
  /** Starts a SELECT: entity, key and columns as for `SELECT.from`. */
  read(entity: EntityArgument, ...more: readonly unknown[]): SelectBuilder {
    return SELECT.from(entity, ...more);
  }

  /** Starts the question whether there is a row: `if (await fw.exists("Books", 201))`, or with `where`. */
  exists(entity: EntityArgument, ...key: readonly unknown[]): SelectBuilder<Row | null> {
    return SELECT.one.from(entity, ...key).columns(1);
  }

  /** Starts an INSERT of rows. */
  insert(...entries: readonly (Row | readonly Row[])[]): InsertBuilder {
    return INSERT(...entries);
  }

  /** Starts an INSERT into an entity. */
  create(entity: EntityArgument, ...entries: readonly (Row | readonly Row[])[]): InsertBuilder {
    return INSERT.into(entity as string, ...entries);
  }

  /** Starts an UPSERT of rows. */
  upsert(...entries: readonly (Row | readonly Row[])[]): UpsertBuilder {
    return UPSERT(...entries);
  }

  /** Starts an UPDATE. */
  update(entity: EntityArgument, ...key: readonly unknown[]): UpdateBuilder {
    return UPDATE(entity as string, ...key);
  }

  /** Starts a DELETE. */
  delete(entity: EntityArgument, ...key: readonly unknown[]): DeleteBuilder {
    return DELETE.from(entity, ...key);
  }

  /**
   * Runs a query, and acts on each row.
   *
   * @param query a query, or the entity whose rows are meant
   * @param act acts on a row
   */
  async foreach(query: EntityArgument | Query, act: (row: Row) => unknown): Promise<void> {
    const { db } = currentRuntime();
    if (!db) throw new TypeError("This runtime has no database: configure fw.requires.db");
    await db.foreach(query, act);
  }
}
