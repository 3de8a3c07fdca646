/**
 * Entity types that derive from the type of an entity: one table, told apart by a discriminator
 * (`@odata.discriminator`, `@odata.subtypes`, `@odata.subtype`).
 *
 * @module
 */

import { placeOf } from "./problems.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { edmTypeName } from "./edm_types.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "./linked.ts";

/** A type of the hierarchy of an entity. */
export interface DerivedType {
  /** Name inside the service. */
  readonly name: string;
  /** Name of the type it derives from; undefined for the type of the entity itself. */
  readonly base?: string;
  /** The value of the discriminator. */
  readonly value: string;
}

/** The types of the rows of an entity. */
export interface TypeHierarchy {
  /** The element that tells the types apart. */
  readonly discriminator: FlatElement;
  /** All types by name, the one of the entity itself first. */
  readonly types: ReadonlyMap<string, DerivedType>;
}

const hierarchies: WeakMap<LinkedEntity, TypeHierarchy | null> = new WeakMap();

/**
 * The types of the rows of an entity.
 *
 * @param entity the entity
 * @returns undefined where all rows have the same type
 * @throws {ConfigurationError} when the annotations do not fit each other
 */
export function typeHierarchy(entity: LinkedEntity): TypeHierarchy | undefined {
  let found = hierarchies.get(entity);
  if (found === undefined) hierarchies.set(entity, found = findHierarchy(entity) ?? null);
  return found ?? undefined;
}

function findHierarchy(entity: LinkedEntity): TypeHierarchy | undefined {
  const given = entity["@odata.subtypes"];
  if (!Array.isArray(given)) return undefined;
  const discriminator = [...entity.$flat.values()].find((flat) =>
    flat.annotated["@odata.discriminator"] === true
  );
  if (!discriminator) {
    throw new ConfigurationError(
      `"${entity.name}" has subtypes but no element with @odata.discriminator`,
      placeOf(entity),
    );
  }
  const own = edmTypeName(entity);
  const types = new Map<string, DerivedType>([[own, { name: own, value: ownValue(discriminator, own) }]]);
  for (const item of given as readonly unknown[]) {
    const { name, base = own, value = name } = (typeof item === "string" ? { name: item } : item) as {
      readonly name?: unknown;
      readonly base?: unknown;
      readonly value?: unknown;
    };
    if (
      typeof name !== "string" || typeof base !== "string" || typeof value !== "string" || !types.has(base)
    ) {
      throw new ConfigurationError(
        `@odata.subtypes of "${entity.name}" needs names of types, each behind its base`,
        placeOf(entity),
      );
    }
    types.set(name, { name, base, value });
  }
  return { discriminator, types };
}

/** The default of the discriminator is the value of the type of the entity. */
function ownValue({ element }: FlatElement, name: string): string {
  const value = element.default && "val" in element.default ? element.default.val : undefined;
  return typeof value === "string" ? value : name;
}

/**
 * The values of the discriminator that rows of a type have: its own and those of all types that derive from it.
 *
 * @param hierarchy the types of an entity
 * @param name one of them
 */
export function discriminatorValues({ types }: TypeHierarchy, name: string): readonly string[] {
  return [...types.values()].filter((type) => isKindOf(types, type, name)).map(({ value }) => value);
}

function isKindOf(types: TypeHierarchy["types"], type: DerivedType | undefined, name: string): boolean {
  if (!type) return false;
  return type.name === name || (type.base !== undefined && isKindOf(types, types.get(type.base), name));
}

/**
 * The type of a row.
 *
 * @param hierarchy the types of its entity
 * @param value the discriminator of the row
 * @returns undefined for a value of no type
 */
export function typeOfValue({ types }: TypeHierarchy, value: unknown): DerivedType | undefined {
  for (const type of types.values()) if (type.value === value) return type;
  return undefined;
}

/**
 * The derived type that declares an element.
 *
 * @param element the element as annotated
 * @returns undefined for elements of the type of the entity itself
 */
export function declaringType(element: LinkedElement): string | undefined {
  const given = element["@odata.subtype"];
  return typeof given === "string" ? given : undefined;
}

/**
 * Whether rows of a type have an element.
 *
 * @param hierarchy the types of the entity
 * @param type the type of the row
 * @param element the element as annotated
 */
export function hasElement({ types }: TypeHierarchy, type: DerivedType, element: LinkedElement): boolean {
  const owner = declaringType(element);
  return owner === undefined || isKindOf(types, type, owner);
}
