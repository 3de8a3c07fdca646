/**
 * Views that the database does not know by name, while it has what they read.
 *
 * @module
 */

import type { LinkedElements, LinkedEntity } from "./linked.ts";
import { BY_QUERY, sourcesRead } from "./views_elsewhere.ts";
import type { SelectQuery, SetQuery } from "../cqn/cqn.ts";

const known: WeakMap<LinkedEntity, boolean> = new WeakMap();

/**
 * Whether an entity is a view that has `@cds.persistence.skip` and reads what is in the database: its query takes its
 * place wherever it is read.
 *
 * @param entity any entity
 */
export function isRuntimeView(entity: LinkedEntity): boolean {
  const skip = entity["@cds.persistence.skip"];
  if (skip !== true && skip !== BY_QUERY) return false;
  let result = known.get(entity);
  if (result === undefined) {
    known.set(entity, false); // a view does not read itself
    const query = viewQuery(entity);
    result = query !== undefined && sourcesRead(query).every((name) => {
      const source = entity.$entityNamed(name);
      return source !== undefined && hasStoredRows(source);
    });
    known.set(entity, result);
  }
  return result;
}

/**
 * Whether the database has the rows of an entity, under its name or by its query.
 *
 * @param entity any entity
 */
export function hasStoredRows(entity: LinkedEntity): boolean {
  return entity["@cds.persistence.skip"] !== true || isRuntimeView(entity);
}

/**
 * The query of a view or projection.
 *
 * @param entity any entity
 * @returns undefined for tables
 */
export function viewQuery(entity: LinkedEntity): SelectQuery | SetQuery | undefined {
  return entity.$select ? { SELECT: entity.$select } : entity.query;
}

/** A view with parameters. */
export type ViewWithParameters = LinkedEntity & { readonly params: LinkedElements };

/**
 * Whether an entity is a view with parameters: what it holds depends on their values, which all paths to it name.
 *
 * @param entity the entity
 */
export function hasParameters(entity: LinkedEntity): entity is ViewWithParameters {
  return entity.params !== undefined;
}
