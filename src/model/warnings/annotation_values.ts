/**
 * Which kinds of values annotations take that the runtime looks at.
 *
 * @module
 */

type Kind = "boolean" | "string" | "array" | "path" | "expression" | "number" | "record";

/** Annotations by what they take; null, which takes an annotation back, always counts. */
const KINDS: Readonly<Record<string, readonly Kind[]>> = {
  "@readonly": ["boolean", "expression"],
  "@insertonly": ["boolean"],
  "@mandatory": ["boolean", "expression"],
  "@open": ["boolean"],
  "@requires": ["string", "array"],
  "@restrict": ["array"],
  "@path": ["string"],
  "@impl": ["string"],
  "@topic": ["string"],
  "@protocol": ["string", "array", "boolean", "record"],
  "@assert.range": ["boolean", "array"],
  "@assert.format": ["string"],
  "@assert.target": ["boolean"],
  "@cds.autoexpose": ["boolean"],
  "@cds.redirection.target": ["boolean"],
  "@cds.persistence.exists": ["boolean"],
  "@cds.persistence.skip": ["boolean", "string"],
  "@cds.api.ignore": ["boolean"],
  "@cds.localized": ["boolean"],
  "@cds.query.limit": ["number", "record"],
  "@cds.valid.from": ["boolean"],
  "@cds.valid.to": ["boolean"],
  "@cds.valid.key": ["boolean"],
  "@cds.on.insert": ["path", "expression", "string", "number", "boolean"],
  "@cds.on.update": ["path", "expression", "string", "number", "boolean"],
  "@odata.etag": ["boolean"],
  "@odata.singleton": ["boolean"],
  "@odata.media": ["boolean"],
};

/**
 * What is suspicious about the value of an annotation.
 *
 * @param name the annotation
 * @param value its value
 * @returns undefined for values of the expected kind, and for annotations that nothing here looks at
 */
export function annotationProblem(name: string, value: unknown): string | undefined {
  const kinds = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (!kinds || value === null) return undefined;
  const kind = kindOf(value);
  if (kinds.includes(kind)) return undefined;
  return `Annotation ${name} has a value of kind ${kind}, expected ${kinds.join(" or ")}`;
}

const EXPRESSIONS = ["xpr", "ref", "func", "val", "SELECT"];

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean" || typeof value === "number") return typeof value as "boolean" | "number";
  if (typeof value !== "object" || value === null) return "string";
  if (EXPRESSIONS.some((part) => part in value)) return "expression";
  return "=" in value ? "path" : "record";
}
