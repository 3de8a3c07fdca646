/**
 * The members of payloads that stand for elements.
 *
 * @module
 */

import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import { nestedStructures, structureOf } from "../../model/nested_structures.ts";

/**
 * The flat element that a member of a payload stands for; the parts of nested structures are none.
 *
 * @param entity the entity
 * @param name name of the member
 */
export function payloadProperty(entity: LinkedEntity, name: string): FlatElement | undefined {
  const flat = entity.$flat.get(name);
  return flat && (structureOf(entity, flat) || flat.annotated["@odata.media"] === true) ? undefined : flat;
}

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
      payloadProperty(entity, name) !== undefined && !nestedStructures(entity).has(name) &&
      !element.$type.items && !element.$type.elements
    );
    PLAIN.set(entity, plain = new Map(found));
  }
  return plain;
}
