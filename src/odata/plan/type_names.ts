/**
 * Names of entity types in casts (OData 4.01 Part 2, section 4.11).
 *
 * @module
 */

import type { LinkedEntity } from "../../model/linked.ts";
import { entityTypeName } from "../names.ts";
import { badRequest, unknownName } from "./plan_error.ts";

/**
 * The entity type that a name stands for.
 *
 * @param name qualified, or without the namespace of the service
 * @param service the service, by an entity of it
 * @returns the entity, if there is such a type
 */
export function namedEntityType(name: string, { $service }: LinkedEntity): LinkedEntity | undefined {
  for (const entity of $service?.entities ?? []) {
    const qualified = entityTypeName(entity);
    if (name === qualified || `${$service!.name}.${name}` === qualified) return entity;
  }
  return undefined;
}

/**
 * Whether instances of an entity type are of another one, too.
 *
 * @param entity the type of the instances
 * @param type the other type
 * @returns true for the type itself and those it derives from
 */
export function isSubtype(entity: LinkedEntity, type: LinkedEntity): boolean {
  return entity === type;
}

/** A type cast: the type, where it stands, and the status of a name that is none. */
export interface TypeCast {
  readonly name: string;
  readonly offset: number;
  /** 404 in paths, 400 elsewhere. */
  readonly status?: number;
}

/**
 * The type of instances behind a cast segment: the declared type or one it has in its line.
 *
 * @param entity the declared type
 * @param cast the segment
 * @returns the entity whose properties follow
 * @throws {ServiceError} 400 or 404 for unknown types and for types that no instance can have
 */
export function castEntity(entity: LinkedEntity, cast: TypeCast): LinkedEntity {
  const { name, offset, status = 400 } = cast;
  const type = namedEntityType(name, entity);
  if (type !== undefined && isSubtype(entity, type)) return entity;
  if (type !== undefined) {
    throw badRequest(`"${entityTypeName(entity)}" is no type in a line with "${name}"`, offset);
  }
  const known = [...entity.$service?.entities ?? []].map(entityTypeName);
  throw unknownName({ name, offset, what: "type", owner: entity.$service?.name ?? "", known, status });
}
