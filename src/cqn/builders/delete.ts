/**
 * `DELETE`.
 *
 * @module
 */

import type { DeleteQuery, Row } from "../cqn.ts";
import { type EntityShape, type QueryBinding, started } from "../query_runner.ts";
import type { EntityName } from "../checked_names.ts";
import { type EntityArgument, entityName, keyCondition, resolveEntityPath } from "./entity_argument.ts";
import { type Draft, FilteredQueryBuilder } from "./query_builder.ts";

/**
 * A DELETE under construction. Awaiting gives the number of rows.
 *
 * @typeParam T rows of the entity
 */
export class DeleteBuilder<T extends object = Row> extends FilteredQueryBuilder<number, T> {
  /** The body of the query. */
  readonly DELETE: Draft<DeleteQuery["DELETE"]> = { from: "" };
  #shape: EntityShape | undefined;

  /** The body of the query while it is built. */
  protected override get filtered(): Draft<DeleteQuery["DELETE"]> {
    return this.DELETE;
  }

  /**
   * Sets the entity.
   *
   * @param entity name, definition, path, or tagged template
   * @param key value of the single key, or values by key
   * @throws TypeError for a key that is given but undefined
   */
  from(entity: EntityArgument, ...key: readonly unknown[]): this {
    const { source, shape, others } = resolveEntityPath(entity, key, this.binding);
    this.DELETE.from = source;
    this.#shape = shape;
    return others.length === 0 ? this : this.byKey(others[0]);
  }

  /** Deletes one row by its key. */
  byKey(key: unknown): this {
    return this.addWhere(
      keyCondition(key, this.#shape, () => `DELETE.from(${entityName(this.DELETE.from)}, …)`),
    );
  }
}

/** `DELETE(…)` and `DELETE.from(…)`. */
export interface Delete {
  /** Starts with an entity whose name carries the type of its rows, and maybe a key. */
  <T extends object>(entity: EntityName<T>, ...key: readonly unknown[]): DeleteBuilder<T>;
  /** Starts with the entity and maybe a key. */
  (entity: EntityArgument, ...key: readonly unknown[]): DeleteBuilder;
  /** Starts with an entity whose name carries the type of its rows, and maybe a key. */
  from<T extends object>(entity: EntityName<T>, ...key: readonly unknown[]): DeleteBuilder<T>;
  /** Starts with the entity and maybe a key. */
  from(entity: EntityArgument, ...key: readonly unknown[]): DeleteBuilder;
}

/** Starts a DELETE. */
export const DELETE: Delete = createDelete();

/**
 * `DELETE` with queries that run elsewhere.
 *
 * @param binding where the queries run; default: the primary database
 */
export function createDelete(binding?: QueryBinding): Delete {
  const start = (entity: EntityArgument, ...key: readonly unknown[]) =>
    started(new DeleteBuilder(binding)).from(entity, ...key);
  return Object.assign(start, { from: start }) as Delete; // rows are what the name of the entity says
}
