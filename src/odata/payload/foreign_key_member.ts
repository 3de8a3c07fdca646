/**
 * Foreign keys in payloads of structures.
 *
 * @module
 */

import type { LinkedElement, LinkedElements } from "../../model/linked.ts";

/**
 * The key that a member of a structure refers to: complex types of `$metadata` have the foreign keys of their
 * associations.
 *
 * @param elements the elements of the structure
 * @param name name of the member
 * @returns undefined for anything else
 */
export function foreignKeyMember(elements: LinkedElements, name: string): LinkedElement | undefined {
  for (const association of elements) {
    for (const { name: flat, element } of association.$foreignKeys ?? []) {
      // flat names begin with those of the structures around
      const local = association.name + flat.slice(element.foreignKey4!.length);
      if (local === name) return element.element;
    }
  }
  return undefined;
}
