/**
 * Primitive types of OData for the types of the model (csn-cqn 4).
 *
 * Cites OData CSDL JSON 4.01, clause 3.3 "Primitive types" and clause 7.2 "Type facets".
 *
 * @module
 */

import type { LinkedElement } from "./linked.ts";

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
  ["cds.DateTime", "Edm.DateTimeOffset"],
  ["cds.Timestamp", "Edm.DateTimeOffset"],
  ["cds.String", "Edm.String"],
  ["cds.LargeString", "Edm.String"],
  ["cds.Binary", "Edm.Binary"],
  ["cds.LargeBinary", "Edm.Binary"],
  ["cds.hana.REAL", "Edm.Single"],
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
