/**
 * `INSERT`.
 *
 * @module
 */

import type { InsertBody } from "../cqn.ts";
import type { QueryBinding } from "../query_runner.ts";
import { createInsertFactory, type InsertFactory, InsertLikeBuilder } from "./insert_builder.ts";
import type { Draft } from "./query_builder.ts";

/** Awaiting gives an object that iterates over the keys; its `valueOf()` is the number of rows. */
export class InsertBuilder extends InsertLikeBuilder<unknown> {
  /** The body of the query. */
  readonly INSERT: Draft<InsertBody> = { into: "" };

  /** The body of the query while it is built. */
  protected override get body(): Draft<InsertBody> {
    return this.INSERT;
  }
}

/** Starts an INSERT. */
export const INSERT: InsertFactory<InsertBuilder> = createInsert();

/**
 * `INSERT` with queries that run elsewhere.
 *
 * @param binding where the queries run; default: the primary database
 */
export function createInsert(binding?: QueryBinding): InsertFactory<InsertBuilder> {
  return createInsertFactory((where) => new InsertBuilder(where), binding);
}
