/**
 * The members of payloads that have a primitive value.
 *
 * @module
 */

import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import { edmProperty } from "../../model/edm_property.ts";
import { nestedStructures } from "../../model/nested_structures.ts";

const PLAIN: WeakMap<LinkedEntity, ReadonlyMap<string, FlatElement>> = new WeakMap();

/**
 * Members with a primitive value, which most are.
 *
 * @param entity the entity
 */
export function plainProperties(entity: LinkedEntity): ReadonlyMap<string, FlatElement> {
  let plain = PLAIN.get(entity);
  if (plain === undefined) {
    const found = [...entity.$flat].filter(([name, { element }]) =>
      edmProperty(entity, name) !== undefined && !nestedStructures(entity).has(name) &&
      !element.$type.items && !element.$type.elements
    );
    PLAIN.set(entity, plain = new Map(found));
  }
  return plain;
}
