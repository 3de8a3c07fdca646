/**
 * Media entities: the entity itself is a stream, kept in the element annotated `@odata.media`.
 *
 * @module
 */

import type { LinkedElement, LinkedEntity } from "./linked.ts";

/**
 * The element that holds the media stream of an entity.
 *
 * @param entity the entity
 * @returns undefined where it is no media entity
 */
export function mediaElement(entity: LinkedEntity): LinkedElement | undefined {
  let found = kept.get(entity);
  if (found === undefined) {
    found = [...entity.elements].find((element) => element["@odata.media"] === true) ?? null;
    kept.set(entity, found);
  }
  return found ?? undefined;
}

const kept: WeakMap<LinkedEntity, LinkedElement | null> = new WeakMap();
