/**
 * Keys of entities as tables have them: virtual ones are for clients only.
 *
 * @module
 */

import type { Row } from "../cqn/cqn.ts";
import type { FlatElement, LinkedEntity } from "./linked.ts";

/** The key elements of an entity that are stored. */
export function storedKeys(entity: LinkedEntity): readonly FlatElement[] {
  return entity.$flatKeys.filter(({ virtual }) => !virtual);
}

/** The names of the stored keys. */
export function keyNames(entity: LinkedEntity): readonly string[] {
  return storedKeys(entity).map(({ name }) => name);
}

/** The stored keys as columns of a query. */
export function keyColumns(entity: LinkedEntity): { readonly ref: readonly [string] }[] {
  return storedKeys(entity).map(({ name }) => ({ ref: [name] }));
}

/**
 * The keys of a row.
 *
 * @param entity its entity
 * @param row the row
 * @returns undefined where one is missing
 */
export function keysOf(entity: LinkedEntity, row: Row): Row | undefined {
  const keys: Row = {};
  for (const { name, virtual } of entity.$flatKeys) {
    if (virtual) continue;
    if (row[name] === undefined || row[name] === null) return undefined;
    keys[name] = row[name];
  }
  return keys;
}

/** Whether a row has all its keys; without any there is nothing to find it by. */
export function hasKeys(entity: LinkedEntity, row: Row): boolean {
  const keys = keysOf(entity, row);
  return keys !== undefined && Object.keys(keys).length > 0;
}
