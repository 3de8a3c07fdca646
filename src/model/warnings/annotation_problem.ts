/**
 * Annotations with a name or a value that hardly can be meant.
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import { editDistance, nearestName } from "../../util/nearest_name.ts";

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

/** Names of annotations of ours whose values take any form. */
const MORE_NAMES = ["@odata.draft.enabled", "@odata.singleton.nullable", "@cds.search", "@cds.etag"];

/** How many letters may differ from an annotation of ours. */
const NEAR = 2;

/**
 * What is suspicious about an annotation: its name, or its value.
 *
 * @param name the annotation
 * @param value its value
 * @returns undefined for values of the expected kind, and for annotations that nothing here looks at
 */
export function annotationProblem(name: string, value: unknown): string | undefined {
  const kinds = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (!kinds) return nameProblem(name);
  if (value === null) return undefined;
  if (name === "@assert.format" && typeof value === "string") return patternProblem(value);
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

/** A name with a dot that is almost one of ours; those without are checked where access is decided. */
function nameProblem(name: string): string | undefined {
  if (!/^@(?:odata|cds|assert)\./.test(name) || MORE_NAMES.includes(name)) return undefined;
  const near = nearestName(name, [...Object.keys(KINDS), ...MORE_NAMES]);
  if (near === undefined || editDistance(name, near) > NEAR || name.startsWith(`${near}.`)) return undefined;
  return `Annotation ${name} is unknown, did you mean ${near}?`;
}

function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern, "u");
    return undefined;
  } catch (error) {
    return `Annotation @assert.format has no valid pattern: ${(error as Error).message}`;
  }
}

/** Roles that users have by what they are. */
const PSEUDO_ROLES = ["any", "authenticated-user", "identified-user", "system-user", "internal-user"];
/** How many letters may differ from the longer ones. */
const NEAR_ROLE = 2;

/**
 * What is suspicious about the roles that a definition asks for.
 *
 * @param definition its `@requires`, and `to` of its `@restrict`
 * @returns texts
 */
export function roleProblems(definition: object): readonly string[] {
  const { "@requires": requires, "@restrict": restrict } = definition as Readonly<Record<string, unknown>>;
  const granted = [restrict].flat().flatMap((one) => isPlainObject(one) ? [one.to].flat() : []);
  const roles = [requires, ...granted].flat().filter((role) => typeof role === "string");
  return [...new Set(roles)].flatMap((role) => {
    const near = PSEUDO_ROLES.find((one) => role !== one && isAlmost(role, one));
    return near === undefined ? [] : [`Role "${role}" is one of its own, did you mean "${near}"?`];
  });
}

function isAlmost(role: string, known: string): boolean {
  const distance = editDistance(role.toLowerCase().replace(/[_ ]/g, "-"), known);
  return known.length > 3 ? distance <= NEAR_ROLE : distance === 0;
}
