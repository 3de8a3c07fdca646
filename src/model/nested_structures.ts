/**
 * Structures that stay nested in OData (`@odata.nested`): rows and columns have them flat, payloads and URLs do not.
 *
 * @module
 */

import type { FlatElement, LinkedElement, LinkedEntity } from "./linked.ts";

/** A structured element that stays nested. */
export interface NestedStructure {
  readonly element: LinkedElement;
  /** Its flat elements; the first step of their paths is the name of the element. */
  readonly leaves: readonly FlatElement[];
}

const kept: WeakMap<LinkedEntity, ReadonlyMap<string, NestedStructure>> = new WeakMap();

/**
 * The structures of an entity that stay nested, by name.
 *
 * @param entity the entity
 */
export function nestedStructures(entity: LinkedEntity): ReadonlyMap<string, NestedStructure> {
  let found = kept.get(entity);
  if (!found) {
    const all = new Map<string, NestedStructure>();
    for (const element of entity.elements) {
      if (element["@odata.nested"] !== true || element.isAssociation || !element.$type.elements) continue;
      const leaves = [...entity.$flat.values()].filter(({ path }) => path[0] === element.name);
      all.set(element.name, { element, leaves });
    }
    kept.set(entity, found = all);
  }
  return found;
}

/**
 * The structure that a flat element is part of.
 *
 * @param entity the entity
 * @param flat one of its flat elements
 * @returns undefined where it is a property of its own
 */
export function structureOf(entity: LinkedEntity, flat: FlatElement): NestedStructure | undefined {
  return flat.path.length > 1 ? nestedStructures(entity).get(flat.path[0]!) : undefined;
}

/**
 * The flat elements that a path of names leads to: one, or those of a structure inside.
 *
 * @param structure a nested structure
 * @param path names behind that of the structure
 */
export function leavesAt(structure: NestedStructure, path: readonly string[]): readonly FlatElement[] {
  return structure.leaves.filter((leaf) => path.every((name, index) => leaf.path[index + 1] === name));
}
