/**
 * Foreign keys in payloads of structures.
 *
 * @module
 */

import { foreignKeyMembers } from "../../model/foreign_key_members.ts";
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
    const key = foreignKeyMembers(association).find((member) => member.name === name);
    if (key) return key.element;
  }
  return undefined;
}

/**
 * A member of a structure: an element, or a foreign key.
 *
 * @param elements the elements of the structure
 * @param name name of the member
 * @returns undefined where there is none
 */
export function structureMember(elements: LinkedElements, name: string): LinkedElement | undefined {
  return Object.hasOwn(elements, name) ? elements[name] : foreignKeyMember(elements, name);
}

/** The names of the members of a structure, an association to one by its foreign keys. */
export function structureMembers(elements: LinkedElements): readonly string[] {
  return [...elements].flatMap((element) =>
    element.$foreignKeys ? foreignKeyMembers(element).map(({ name }) => name) : [element.name]
  );
}
