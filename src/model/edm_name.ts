/**
 * Names of entities, types and operations in OData.
 *
 * @module
 */

import type { LinkedBase, LinkedEntity, LinkedOperation } from "./linked.ts";

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
