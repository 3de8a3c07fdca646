/**
 * Primitive types of OData for the types of the model (csn-cqn 4).
 *
 * Cites OData CSDL JSON 4.01, clause 3.3 "Primitive types" and clause 7.2 "Type facets".
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

/** A primitive type with the facets that appear in metadata. */
export interface EdmType {
  /** `Edm.String` and so on. */
  readonly type: string;
  readonly maxLength?: number;
  readonly precision?: number;
  readonly scale?: number | "variable" | "floating";
  readonly srid?: number;
}

/** The primitive types by those of the model. */
export const EDM_TYPES: ReadonlyMap<string, string> = new Map([
  ["cds.UUID", "Edm.Guid"],
  ["cds.Boolean", "Edm.Boolean"],
  ["cds.UInt8", "Edm.Byte"],
  ["cds.Int16", "Edm.Int16"],
  ["cds.Int32", "Edm.Int32"],
  ["cds.Integer", "Edm.Int32"],
  ["cds.Int64", "Edm.Int64"],
  ["cds.Integer64", "Edm.Int64"],
  ["cds.Decimal", "Edm.Decimal"],
  ["cds.DecimalFloat", "Edm.Decimal"],
  ["cds.Double", "Edm.Double"],
  ["cds.Date", "Edm.Date"],
  ["cds.Time", "Edm.TimeOfDay"],
  ["cds.Timestamp", "Edm.DateTimeOffset"],
  ["cds.DateTime", "Edm.DateTimeOffset"],
  ["cds.String", "Edm.String"],
  ["cds.LargeString", "Edm.String"],
  ["cds.Binary", "Edm.Binary"],
  ["cds.LargeBinary", "Edm.Binary"],
  ["cds.hana.REAL", "Edm.Single"],
]);

/** The types of the model by primitive types: of several the first one, which has the values of the others. */
export const BUILTIN_TYPES: ReadonlyMap<string, string> = new Map([
  ...[...EDM_TYPES].map(([builtin, type]) => [type, builtin] as const).reverse(),
  ["Edm.SByte", "cds.Int16"],
  ["Edm.Single", "cds.Double"],
  ["Edm.Stream", "cds.LargeBinary"],
]);

/** Types that `@odata.Type` may name: all primitive types of the standard. */
const PRIMITIVE_TYPES: ReadonlySet<string> = new Set([
  ...EDM_TYPES.values(),
  "Edm.SByte",
  "Edm.Single",
  "Edm.Duration",
  "Edm.Stream",
  "Edm.PrimitiveType",
  ...["", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "Collection"]
    .flatMap(
      (shape) => [`Edm.Geography${shape}`, `Edm.Geometry${shape}`],
    ),
]);

const LENGTH_TYPES: ReadonlySet<string> = new Set(["Edm.String", "Edm.Binary", "Edm.Stream"]);

/**
 * The primitive type of an element.
 *
 * @param element an element, parameter, result or item
 * @returns undefined for structures, arrays, maps and associations; `Edm.String` where the model has no type
 */
export function edmType(element: LinkedElement): EdmType | undefined {
  const { builtin, native, elements, items } = element.$type;
  const override = overriddenType(element);
  if (override) return override;
  if (elements || items || element.isAssociation || builtin === "cds.Map") return undefined;
  if (builtin === "cds.LargeBinary" && element["@Core.MediaType"] !== undefined) {
    return { type: "Edm.Stream" };
  }
  const type = EDM_TYPES.get(native ?? "") ?? EDM_TYPES.get(builtin ?? "cds.String") ?? "Edm.String";
  return { type, ...facetsOf(element, type) };
}

function overriddenType(element: LinkedElement): EdmType | undefined {
  const type = element["@odata.Type"];
  if (typeof type !== "string" || !PRIMITIVE_TYPES.has(type)) return undefined;
  return {
    type,
    ...(LENGTH_TYPES.has(type) && numeric("maxLength", element["@odata.MaxLength"])),
    ...numeric("precision", element["@odata.Precision"]),
    ...scaleOf(element["@odata.Scale"]),
    ...numeric("srid", element["@odata.SRID"]),
  };
}

function numeric(facet: "maxLength" | "precision" | "srid", value: unknown): Partial<EdmType> {
  return typeof value === "number" ? { [facet]: value } : {};
}

function scaleOf(value: unknown): Partial<EdmType> {
  return typeof value === "number" || value === "variable" || value === "floating" ? { scale: value } : {};
}

function facetsOf(element: LinkedElement, type: string): Partial<EdmType> {
  const { builtin, length, precision, scale } = element.$type;
  switch (type) {
    case "Edm.String":
    case "Edm.Binary":
      return numeric("maxLength", length);
    case "Edm.Decimal":
      return precision === undefined && scale === undefined
        ? { scale: "variable" }
        : { ...numeric("precision", precision), ...scaleOf(scale) };
    case "Edm.DateTimeOffset":
      return builtin === "cds.Timestamp" ? { precision: precision ?? 7 } : {};
    default:
      return {};
  }
}

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

/**
 * The element that holds the media stream of an entity.
 *
 * @param entity the entity
 * @returns undefined where it is no media entity
 */
export function mediaElement(entity: LinkedEntity): LinkedElement | undefined {
  let found = kept.get(entity);
  if (found === undefined) {
    found = [...entity.elements].find((element) => element["@odata.media"] === true) ?? null;
    kept.set(entity, found);
  }
  return found ?? undefined;
}

const kept: WeakMap<LinkedEntity, LinkedElement | null> = new WeakMap();
