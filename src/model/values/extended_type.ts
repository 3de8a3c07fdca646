/**
 * Types that OData has and CDS lacks: what `@odata.Type` and `@odata.enum` make of a built-in type.
 *
 * @module
 */

/** A primitive type of OData with rules of its own, or an enumeration whose values are names. */
export type ExtendedType =
  | "Edm.SByte"
  | "Edm.Single"
  | "Edm.Duration"
  | "Edm.Geo"
  | "enum"
  | "flags";

const WHOLE_NUMBERS = new Set([
  "cds.UInt8",
  "cds.Int16",
  "cds.Int32",
  "cds.Integer",
  "cds.Int64",
  "cds.Integer64",
]);

/** What annotations say about a type. */
interface Annotated {
  readonly [annotation: `@${string}`]: unknown;
}

/**
 * The extended type of an element.
 *
 * @param builtin the built-in type at its base, which rows and columns hold
 * @param annotated the annotations in effect
 * @returns undefined where the built-in type decides alone, or does not fit the annotation
 */
export function extendedType(builtin: string, annotated: Annotated): ExtendedType | undefined {
  const named = annotated["@odata.enum"];
  if (named !== undefined && named !== null && named !== false && WHOLE_NUMBERS.has(builtin)) {
    return isFlags(named) ? "flags" : "enum";
  }
  switch (annotated["@odata.Type"]) {
    case "Edm.SByte":
      return WHOLE_NUMBERS.has(builtin) ? "Edm.SByte" : undefined;
    case "Edm.Single":
      return builtin === "cds.Double" ? "Edm.Single" : undefined;
    case "Edm.Duration":
      return builtin === "cds.Decimal" ? "Edm.Duration" : undefined;
    default:
      return builtin === "cds.Map" && isGeo(annotated["@odata.Type"]) ? "Edm.Geo" : undefined;
  }
}

function isFlags(named: unknown): boolean {
  return typeof named === "object" && named !== null && "#" in named && named["#"] === "flags";
}

function isGeo(type: unknown): boolean {
  return typeof type === "string" && /^Edm\.Geo(?:graphy|metry)/.test(type);
}
