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
  for (const element of entity.elements) if (element["@odata.media"] === true) return element;
  return undefined;
}
