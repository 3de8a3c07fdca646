/**
 * JSON Schema (2020-12) of primitive types in payloads (OData JSON 4.01, clause 7.1).
 *
 * @module
 */

import type { CsdlType } from "../csdl/csdl.ts";
import type { JsonSchema } from "../schema/json_schema.ts";

const INTEGER_BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  "Edm.Byte": [0, 255],
  "Edm.SByte": [-128, 127],
  "Edm.Int16": [-32768, 32767],
};

/** Days, hours, minutes, seconds (CSDL 4.01, clause 3.3): signs and fractions, which the format `duration` lacks. */
const DURATION = "^-?P(\\d+D)?(T(\\d+H)?(\\d+M)?(\\d+(\\.\\d{1,12})?S)?)?$";

const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  "Edm.Boolean": { type: "boolean" },
  "Edm.Int32": { type: "integer", format: "int32" },
  "Edm.Int64": { type: ["integer", "string"], format: "int64" },
  "Edm.Decimal": { type: ["number", "string"], format: "decimal" },
  "Edm.Double": { type: ["number", "string"], format: "double" },
  "Edm.Single": { type: ["number", "string"], format: "float" },
  "Edm.Guid": { type: "string", format: "uuid" },
  "Edm.Date": { type: "string", format: "date" },
  "Edm.TimeOfDay": { type: "string", pattern: "^\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,12})?)?$" },
  "Edm.DateTimeOffset": { type: "string", format: "date-time" },
  "Edm.Duration": { type: "string", pattern: DURATION },
  "Edm.Binary": { type: "string", contentEncoding: "base64url" },
  "Edm.Stream": { type: "string", contentEncoding: "base64url" },
};

/**
 * The schema of one value of a primitive type, without regard to null.
 *
 * @param type its name, `Edm.String` for example, and its facets
 * @returns an empty schema for types that may be anything
 */
export function primitiveSchema({ type, maxLength }: CsdlType): JsonSchema {
  if (type === "Edm.String") return { type: "string", ...(maxLength === undefined ? {} : { maxLength }) };
  if (/^Edm\.Geo(graphy|metry)/.test(type)) return { type: "object", description: "GeoJSON" };
  const bounds = INTEGER_BOUNDS[type];
  if (bounds) return { type: "integer", minimum: bounds[0], maximum: bounds[1] };
  return SCHEMAS[type] ?? {};
}
