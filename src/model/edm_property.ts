/**
 * Which elements are properties of an entity type in OData: `$metadata`, URLs and payloads know the same ones.
 *
 * @module
 */

import type {
  FlatElement,
  LinkedBase,
  LinkedElement,
  LinkedElements,
  LinkedEntity,
  LinkedOperation,
} from "./linked.ts";
import { structureOf } from "./nested_structures.ts";

/** Whether `@cds.api.ignore` hides an element from clients: at itself, its association or a structure around it. */
export function isHidden({ elements }: LinkedEntity, { path }: FlatElement): boolean {
  let inside: LinkedElements | undefined = elements;
  for (const name of path) {
    const element: LinkedElement | undefined = inside?.[name];
    if (element?.["@cds.api.ignore"] === true) return true;
    inside = element?.$type.elements;
  }
  return false;
}

/**
 * The property that clients name; parts of nested structures, media and hidden elements are none.
 *
 * @param entity the entity
 * @param name the name in URLs and payloads
 */
export function edmProperty(entity: LinkedEntity, name: string): FlatElement | undefined {
  const flat = entity.$flat.get(name);
  if (flat === undefined || isHidden(entity, flat) || flat.annotated["@odata.media"] === true) {
    return undefined;
  }
  return structureOf(entity, flat) ? undefined : flat;
}

/**
 * The name of the entity set (or singleton) inside its service: `Orders.Items` is `Orders_Items`.
 *
 * @param entity an entity of a service
 */
export function edmName(entity: LinkedEntity): string {
  const name = entity.$localName;
  return name.includes(".") ? name.replaceAll(".", "_") : name;
}

/**
 * The name of the type of an entity inside its service: `@odata.typeName`, otherwise that of its set.
 *
 * @param entity an entity of a service
 */
export function edmTypeName(entity: LinkedEntity): string {
  const given = entity["@odata.typeName"];
  return typeof given === "string" ? given : edmName(entity);
}

/**
 * The name of a type inside a service. Types from outside keep their full name, to stay apart from its own.
 *
 * @param typeName full name in the model
 * @param service name of the service
 */
export function edmLocalTypeName(typeName: string, service: string): string {
  const local = typeName.startsWith(`${service}.`) ? typeName.slice(service.length + 1) : typeName;
  return local.replaceAll(".", "_");
}

/**
 * The name of an operation inside its service. Operations with the same `@odata.overload` are overloads.
 *
 * @param operation bound or unbound
 */
export function edmOperationName(operation: LinkedOperation): string {
  const given = operation["@odata.overload"];
  if (typeof given === "string") return given;
  const { name, $entity, $service } = operation as LinkedOperation & { readonly $service?: LinkedBase };
  return $entity || !$service ? name : name.slice($service.name.length + 1).replaceAll(".", "_");
}
