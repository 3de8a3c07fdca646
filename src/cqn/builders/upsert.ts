/**
 * `UPSERT`.
 *
 * @module
 */

import type { InsertBody } from "../cqn.ts";
import type { QueryBinding } from "../query_runner.ts";
import { createInsertFactory, type InsertFactory, InsertLikeBuilder } from "./insert_builder.ts";
import type { Draft } from "./query_builder.ts";

/** Awaiting gives an object that iterates over the keys; its `valueOf()` is the number of rows. */
export class UpsertBuilder extends InsertLikeBuilder<unknown> {
  /** The body of the query. */
  readonly UPSERT: Draft<InsertBody> = { into: "" };

  /** The body of the query while it is built. */
  protected override get body(): Draft<InsertBody> {
    return this.UPSERT;
  }
}

/** Starts an UPSERT. */
export const UPSERT: InsertFactory<UpsertBuilder> = createUpsert();

/**
 * `UPSERT` with queries that run elsewhere.
 *
 * @param binding where the queries run; default: the primary database
 */
export function createUpsert(binding?: QueryBinding): InsertFactory<UpsertBuilder> {
  return createInsertFactory((where) => new UpsertBuilder(where), binding);
}
