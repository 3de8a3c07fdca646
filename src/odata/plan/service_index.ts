/**
 * Names of entity types in casts (OData 4.01 Part 2, section 4.11).
 *
 * @module
 */

import type { LinkedElement, LinkedEntity, LinkedOperation, LinkedService } from "../../model/linked.ts";
import { leadsToNoKey } from "../../model/keys.ts";
import { edmOperationName, edmTypeName } from "../../model/edm_types.ts";
import { isContained } from "../../model/service_document.ts";
import { entitySetName, entityTypeName } from "../names.ts";
import { isIn, list, literal, reference } from "../../algebra/build.ts";
import type { Expr } from "../../algebra/tree.ts";
import { discriminatorValues, hasElement, typeHierarchy } from "../../model/derived_types.ts";
import type { ServiceError } from "../../errors/service_error.ts";
import { badRequest, unknownName } from "./plan_error.ts";

/** Names of a service. */
export interface ServiceIndex {
  readonly service: LinkedService;
  /** Entities by the name of their set or singleton. */
  readonly entitySets: ReadonlyMap<string, LinkedEntity>;
  /** Unbound operations; of overloads the first. */
  readonly operations: ReadonlyMap<string, LinkedOperation>;
}

/**
 * Collects the names of a service.
 *
 * @param service the service
 * @returns its names
 */
export function createServiceIndex(service: LinkedService): ServiceIndex {
  const entitySets = new Map<string, LinkedEntity>();
  for (const entity of service.entities) {
    if (entity["@cds.api.ignore"] !== true && !isContained(entity)) {
      entitySets.set(entitySetName(entity), entity);
    }
  }
  const operations = new Map<string, LinkedOperation>();
  for (const operation of service.operations) {
    const name = edmOperationName(operation);
    if (!operations.has(name)) operations.set(name, operation);
  }
  return { service, entitySets, operations };
}

/**
 * A name without the namespace of the service.
 *
 * @param name the name as written
 * @param service the service
 * @returns the local name, or the name itself if it has another or no namespace
 */
export function localName(name: string, service: LinkedService): string {
  return name.startsWith(`${service.name}.`) ? name.slice(service.name.length + 1) : name;
}

/**
 * The operation bound to an entity under a name; of overloads the first.
 *
 * @param entity the entity
 * @param name local or qualified with the namespace of the service
 * @param service the service
 * @returns the operation, if there is one
 */
export function boundOperation(
  entity: LinkedEntity,
  name: string,
  service: LinkedService,
): LinkedOperation | undefined {
  const local = localName(name, service);
  if (Object.hasOwn(entity.actions, local) && edmOperationName(entity.actions[local]) === local) {
    return entity.actions[local];
  }
  return [...entity.actions].find((operation) => edmOperationName(operation) === local);
}

/**
 * The names by which operations bound to an entity are called: local and qualified.
 *
 * @param entity the entity
 * @param service the service
 */
export function operationNames(entity: LinkedEntity, service: LinkedService): readonly string[] {
  return [...entity.actions].flatMap((one) => {
    const name = edmOperationName(one);
    return [name, `${service.name}.${name}`];
  });
}

/**
 * The entity of what an operation returns, and whether it returns many.
 *
 * @param operation the operation
 * @param service the service
 */
export function returnedEntity(
  { returns }: LinkedOperation,
  service: LinkedService,
): { readonly entity: LinkedEntity | undefined; readonly many: boolean } {
  const item = returns?.$type.items ?? returns;
  const named = item && [...service.entities].find(({ name }) => name === item.$type.typeName);
  return {
    entity: item?.$target ?? named,
    many: returns?.$type.items !== undefined || returns?.is2many === true,
  };
}

/**
 * The navigation property of an entity under a name.
 *
 * @param entity the entity
 * @param name its name
 * @returns element and target, unless the target is not part of the service or has no key to follow the association by
 */
export function navigationOf(
  entity: LinkedEntity,
  name: string,
): { readonly element: LinkedElement; readonly target: LinkedEntity } | undefined {
  const element = Object.hasOwn(entity.elements, name) ? entity.elements[name] : undefined;
  const target = element?.isAssociation ? element.$target : undefined;
  if (element === undefined || target === undefined || target.$service !== entity.$service) return undefined;
  if (element["@cds.api.ignore"] === true || leadsToNoKey(element)) return undefined;
  return { element, target };
}

/**
 * The names of the navigation properties of an entity.
 *
 * @param entity the entity
 * @returns names in model order
 */
export function* navigationNames(entity: LinkedEntity): Iterable<string> {
  for (const { name } of entity.elements) if (navigationOf(entity, name) !== undefined) yield name;
}

/**
 * The entity type that a name stands for.
 *
 * @param name qualified, or without the namespace of the service
 * @param service the service, by an entity of it
 * @returns the entity, if there is such a type
 */
export function namedEntityType(name: string, { $service }: LinkedEntity): LinkedEntity | undefined {
  const local = $service && name.startsWith(`${$service.name}.`)
    ? name.slice($service.name.length + 1)
    : name;
  for (const entity of $service?.entities ?? []) {
    if (edmTypeName(entity) === local || typeHierarchy(entity)?.types.has(local)) return entity;
  }
  return undefined;
}

/** A derived type in a cast or in `isof`. */
export interface DerivedCast {
  /** Its local name. */
  readonly name: string;
  /** The element that tells the types of the rows apart. */
  readonly discriminator: string;
  /** Its values in rows of the type, first that of the type itself. */
  readonly values: readonly string[];
}

/**
 * The derived type of an entity that a name stands for.
 *
 * @param name qualified, or without the namespace of the service
 * @param entity the entity
 * @returns undefined for the type of the entity itself, and for names of no type of it
 */
export function derivedCast(name: string, entity: LinkedEntity): DerivedCast | undefined {
  const prefix = `${entity.$service?.name}.`;
  const local = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  const hierarchy = typeHierarchy(entity);
  if (hierarchy?.types.get(local)?.base === undefined) return undefined;
  const values = discriminatorValues(hierarchy, local);
  return { name: local, discriminator: hierarchy.discriminator.name, values };
}

/**
 * Whether rows of a type have an element.
 *
 * @param entity the entity
 * @param type the derived type; the type of the entity itself unless given
 * @param element the element as annotated
 */
export function isOfType(entity: LinkedEntity, type: string | undefined, element: LinkedElement): boolean {
  const hierarchy = typeHierarchy(entity);
  const found = hierarchy?.types.get(type ?? edmTypeName(entity));
  return !hierarchy || !found || hasElement(hierarchy, found, element);
}

/**
 * The condition that rows are of a derived type.
 *
 * @param cast the type
 * @param reference the value of the discriminator
 */
export function typeCondition(
  { discriminator, values }: DerivedCast,
  value: Expr = reference([discriminator]),
): Expr {
  return isIn(value, list(values.map((val) => literal(val))));
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

/**
 * The error for a type cast directly behind another one (ABNF `singleNavigation`, `collectionNavigation`).
 *
 * @param offset where it stands
 */
export function castTwice(offset: number): ServiceError {
  return badRequest("A type cast cannot follow another one", offset);
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
  if (name.includes(".")) known.push(...navigationNames(entity));
  throw unknownName({ name, offset, what: "type", owner: entity.$service?.name ?? "", known, status });
}
