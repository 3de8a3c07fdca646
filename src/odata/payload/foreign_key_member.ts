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
