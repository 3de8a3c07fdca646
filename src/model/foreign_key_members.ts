/**
 * Foreign keys in structures that are payloads and parameters.
 *
 * @module
 */

import type { LinkedElement } from "./linked.ts";

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
