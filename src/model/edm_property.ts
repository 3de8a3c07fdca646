/**
 * Which elements are properties of an entity type in OData: `$metadata`, URLs and payloads know the same ones.
 *
 * @module
 */

import type { FlatElement, LinkedElement, LinkedElements, LinkedEntity } from "./linked.ts";
import { structureOf } from "./nested_structures.ts";

/** Whether `@cds.api.ignore` hides an element from clients: at itself, its association or a structure around it. */
export function isHidden({ elements }: LinkedEntity, { path }: FlatElement): boolean {
  let inside: LinkedElements | undefined = elements;
  for (const name of path) {
    const element: LinkedElement | undefined = inside?.[name];
    if (element?.["@cds.api.ignore"] === true) return true;
    inside = element?.$type.elements;
  }
  return false;
}

/**
 * The property that clients name; parts of nested structures, media and hidden elements are none.
 *
 * @param entity the entity
 * @param name the name in URLs and payloads
 */
export function edmProperty(entity: LinkedEntity, name: string): FlatElement | undefined {
  const flat = entity.$flat.get(name);
  if (flat === undefined || isHidden(entity, flat) || flat.annotated["@odata.media"] === true) {
    return undefined;
  }
  return structureOf(entity, flat) ? undefined : flat;
}
