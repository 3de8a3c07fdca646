import type { Row } from "../cqn/cqn.ts";
import type { FlatElement, LinkedElement, LinkedElements, LinkedEntity } from "./linked.ts";

/** The key elements of an entity that are stored. */
export function storedKeys(entity: LinkedEntity): readonly FlatElement[] {
  return entity.$flatKeys.filter(({ virtual }) => !virtual);
}

/** The names of the stored keys. */
export function keyNames(entity: LinkedEntity): readonly string[] {
  return storedKeys(entity).map(({ name }) => name);
}

/** The stored keys as columns of a query. */
export function keyColumns(entity: LinkedEntity): { readonly ref: readonly [string] }[] {
  return storedKeys(entity).map(({ name }) => ({ ref: [name] }));
}

/**
 * The keys of a row.
 *
 * @param entity its entity
 * @param row the row
 * @returns undefined where one is missing
 */
export function keysOf(entity: LinkedEntity, row: Row): Row | undefined {
  const keys: Row = {};
  const flatKeys = entity.$flatKeys;
  // iterators over frozen arrays are objects
  for (let at = 0; at < flatKeys.length; at++) {
    const { name, virtual } = flatKeys[at]!;
    if (virtual) continue;
    if (row[name] === undefined || row[name] === null) return undefined;
    keys[name] = row[name];
  }
  return keys;
}

/** Whether a row has all its keys; without any there is nothing to find it by. */
export function hasKeys(entity: LinkedEntity, row: Row): boolean {
  const keys = keysOf(entity, row);
  return keys !== undefined && Object.keys(keys).length > 0;
}

/** Whether an association leads to an entity without key: nothing says which rows belong together, and nothing may follow it. */
export function leadsToNoKey({ keys, $target }: LinkedElement): boolean {
  return keys?.length === 0 && $target !== undefined && $target.$flatKeys.length === 0;
}

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
