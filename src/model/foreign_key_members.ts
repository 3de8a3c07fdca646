/**
 * Foreign keys in structures that are payloads and parameters.
 *
 * @module
 */

import type { LinkedElement, LinkedElements } from "./linked.ts";

/** A foreign key as member of the structure that has the association. */
export interface ForeignKeyMember {
  /** Its name in the structure. */
  readonly name: string;
  /** The key that it holds. */
  readonly element: LinkedElement;
}

/**
 * The foreign keys of an association, as members of the structure it stands in.
 *
 * @param association any element
 * @returns none for what is no managed association
 */
export function foreignKeyMembers(association: LinkedElement): readonly ForeignKeyMember[] {
  return (association.$foreignKeys ?? []).map(({ name, element }) => ({
    // flat names begin with those of the structures around
    name: association.name + name.slice(element.foreignKey4!.length),
    element: element.element,
  }));
}

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
