/**
 * Names of model elements on the wire.
 *
 * @module
 */

import { EDM_TYPES, edmLocalTypeName, edmName, edmTypeName } from "../model/edm_types.ts";
import type { LinkedElement, LinkedEntity, LinkedOperation, LinkedService } from "../model/linked.ts";

/** Name of the entity set or singleton of an entity: its local name, dots as underscores (`Orders_remarks`). */
export function entitySetName(entity: LinkedEntity): string {
  return edmName(entity);
}

/** Qualified name of the entity type: `CatalogService.Books`. */
export function entityTypeName(entity: LinkedEntity): string {
  return entity.$service ? `${entity.$service.name}.${edmTypeName(entity)}` : entity.name;
}

/** Name of the type of an inline result: `<Service>.return_<qualified operation, _ for .>`. */
export function inlineResultName(operation: LinkedOperation, serviceName: string): string {
  const qualified = operation.$entity ? `${operation.$entity.name}.${operation.name}` : operation.name;
  const full = qualified.includes(".") ? qualified : `${serviceName}.${qualified}`;
  return `${serviceName}.return_${full.replaceAll(".", "_")}`;
}

/** Whether an element is an `Edm.Stream`: a large binary with a media type, which payloads leave out. */
export function isStream(element: LinkedElement): boolean {
  return element.$type.builtin === "cds.LargeBinary" && element["@Core.MediaType"] !== undefined &&
    element["@odata.Type"] !== "Edm.Binary";
}

/** Whether values of an element have members: a structure, or a map, which is an open complex type without properties. */
export function isComplex({ $type: { elements, builtin, extended } }: LinkedElement): boolean {
  return elements !== undefined || (builtin === "cds.Map" && extended === undefined);
}

/**
 * Name of the type of values that are no entities, as `$metadata` has it; that of a structure without name as given.
 *
 * @param element holds one value
 * @param anonymous name for its type if it is a structure without name
 */
export function valueTypeName(element: LinkedElement, anonymous: string): string {
  const { typeName, extended } = element.$type;
  const isEnum = extended === "enum" || extended === "flags";
  if (typeName !== undefined && (isEnum || isComplex(element))) {
    const service = serviceOf(element);
    return service === undefined ? typeName : `${service}.${edmLocalTypeName(typeName, service)}`;
  }
  return isComplex(element) ? anonymous : primitiveTypeName(element);
}

/** The name of the service that shows an element: the types of its elements have their names there. */
function serviceOf(element: LinkedElement): string | undefined {
  let owner: OwnedBase | undefined = element;
  while (owner && !owner.$service) owner = owner.parent;
  return owner?.$service?.name;
}

type OwnedBase = Pick<LinkedElement, "parent"> & { readonly $service?: LinkedService };

/** Name of the primitive type of an element; text for what OData has no type for. */
function primitiveTypeName(element: LinkedElement): string {
  if (element.$type.extended) return extendedTypeName(element);
  return EDM_TYPES.get(element.$type.builtin ?? "") ?? "Edm.String";
}

/** The type that an annotation names, or that of the values of an enumeration. */
function extendedTypeName(element: LinkedElement): string {
  const { extended } = element.$type;
  if (extended === "enum" || extended === "flags") return EDM_TYPES.get(element.$type.builtin!)!;
  return String(element["@odata.Type"]);
}
