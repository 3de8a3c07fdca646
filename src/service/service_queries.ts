/**
 * Fluent queries bound to a service (`api` 4, 11.8).
 *
 * @module
 */

import { createDelete, type Delete } from "../cqn/builders/delete.ts";
import { createInsert, createUpsert, type Insert, type Upsert } from "../cqn/builders/insert.ts";
import { createSelect, type Select } from "../cqn/builders/select.ts";
import { createUpdate, type Update } from "../cqn/builders/update.ts";
import type { Query } from "../cqn/cqn.ts";
import type { LinkedModel } from "../model/linked.ts";

/** What bound queries need of their service. */
export interface QueryTarget {
  /** The linked model. */
  readonly model: LinkedModel;
  /** The full name of an entity that is named in the terms of the service. */
  qualify(name: string): string;
  /** Runs a query. */
  run(query: Query): Promise<unknown>;
}

/** Starts of queries that run on one service. */
export interface ServiceQueries {
  /** Starts a SELECT. */
  readonly SELECT: Select;
  /** Starts an INSERT. */
  readonly INSERT: Insert;
  /** Starts an UPSERT. */
  readonly UPSERT: Upsert;
  /** Starts an UPDATE. */
  readonly UPDATE: Update;
  /** Starts a DELETE. */
  readonly DELETE: Delete;
}

/**
 * Starts of queries that run on a service when they are awaited.
 *
 * @param service the service, or one bound to a transaction
 */
export function serviceQueries(service: QueryTarget): ServiceQueries {
  const binding = {
    run: (query: Query) => service.run(query),
    resolve: (name: string) => service.model.entity(service.qualify(name)),
  };
  return {
    SELECT: createSelect(binding),
    INSERT: createInsert(binding),
    UPSERT: createUpsert(binding),
    UPDATE: createUpdate(binding),
    DELETE: createDelete(binding),
  };
}
