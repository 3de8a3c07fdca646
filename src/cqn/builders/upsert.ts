/**
 * `UPSERT`.
 *
 * @module
 */

import type { InsertBody, Row } from "../cqn.ts";
import type { QueryBinding } from "../query_runner.ts";
import type { EntityName, Input } from "../typed_names.ts";
import type { UntypedEntity } from "./entity_argument.ts";
import { createInsertFactory, type InsertFactory, InsertLikeBuilder } from "./insert_builder.ts";
import type { Draft } from "./query_builder.ts";

/**
 * Awaiting gives an object that iterates over the keys; its `valueOf()` is the number of rows. A service gives the rows.
 *
 * @typeParam T rows of the entity
 * @typeParam R what awaiting gives
 */
export class UpsertBuilder<T extends object = Row, R = number> extends InsertLikeBuilder<R, T> {
  /** The body of the query. */
  readonly UPSERT: Draft<InsertBody> = { into: "" };

  /** The body of the query while it is built. */
  protected override get body(): Draft<InsertBody> {
    return this.UPSERT;
  }
}

/** `UPSERT(…)` and `UPSERT.into(…)`. */
export interface Upsert extends Omit<InsertFactory<UpsertBuilder>, "into"> {
  /** Starts with rows. */
  (...entries: readonly (Row | readonly Row[])[]): UpsertBuilder;
  /** Starts with an entity whose name carries the type of its rows. */
  into<T extends object>(
    entity: EntityName<T>,
    ...entries: readonly (Input<T> | readonly Input<T>[])[]
  ): UpsertBuilder<T>;
  /** Starts with the entity. */
  into(entity: UntypedEntity, ...entries: readonly (Row | readonly Row[])[]): UpsertBuilder;
}

/** Starts an UPSERT. */
export const UPSERT: Upsert = createUpsert();

/**
 * `UPSERT` with queries that run elsewhere.
 *
 * @param binding where the queries run; default: the primary database
 */
export function createUpsert(binding?: QueryBinding): Upsert {
  // rows are what the name of the entity says
  return createInsertFactory((where) => new UpsertBuilder(where), binding) as Upsert;
}
