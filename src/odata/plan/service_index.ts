/**
 * The names that URLs of a service may use.
 *
 * @module
 */

import type { LinkedElement, LinkedEntity, LinkedOperation, LinkedService } from "../../model/linked.ts";
import { edmOperationName } from "../../model/edm_types.ts";
import { isContained } from "../../model/service_document.ts";
import { entitySetName } from "../names.ts";

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
 * @returns element and target, unless the target is not part of the service
 */
export function navigationOf(
  entity: LinkedEntity,
  name: string,
): { readonly element: LinkedElement; readonly target: LinkedEntity } | undefined {
  const element = Object.hasOwn(entity.elements, name) ? entity.elements[name] : undefined;
  const target = element?.isAssociation ? element.$target : undefined;
  if (element === undefined || target === undefined || target.$service !== entity.$service) return undefined;
  if (element["@cds.api.ignore"] === true) return undefined;
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
