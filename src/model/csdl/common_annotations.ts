/**
 * Annotations of CDS that stand for terms of the vocabularies (csn-cqn 12, "Common translations"). What the model says
 * with the term itself wins.
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import { annotationsOf } from "../annotations_of.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../linked.ts";

type Annotations = Map<string, unknown>;

/**
 * The annotations of an object by key without `@`, with labels and descriptions.
 *
 * @param annotated a definition, element, operation or parameter
 */
export function commonAnnotations(annotated: object): Annotations {
  const result: Annotations = new Map();
  for (const [key, value] of annotationsOf(annotated)) result.set(key.slice(1), value);
  rename(result, "title", "Common.Label");
  rename(result, "label", "Common.Label");
  rename(result, "description", "Core.Description");
  return result;
}

function rename(annotations: Annotations, from: string, to: string): void {
  const value = annotations.get(from);
  if (typeof value === "string") setDefault(annotations, to, value);
}

function setDefault(annotations: Annotations, key: string, value: unknown): void {
  if (!annotations.has(key)) annotations.set(key, value);
}

/**
 * The annotations of an element or parameter.
 *
 * @param element the element
 */
export function elementAnnotations(element: LinkedElement): Annotations {
  const result = commonAnnotations(element);
  if (element["@mandatory"] === true) setDefault(result, "Common.FieldControl", { "#": "Mandatory" });
  if (element["@insertonly"] === true) setDefault(result, "Core.Immutable", true);
  if (isComputed(element)) setDefault(result, "Core.Computed", true);
  addRange(result, element);
  if (typeof element["@assert.format"] === "string") {
    setDefault(result, "Validation.Pattern", element["@assert.format"]);
  }
  return result;
}

function isComputed(element: LinkedElement): boolean {
  return element["@readonly"] === true || element.virtual === true || element.value !== undefined ||
    isSet(element["@cds.on.insert"]) || isSet(element["@cds.on.update"]);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

/**
 * The annotations of a property, which may be a foreign key.
 *
 * @param flat the property
 */
export function propertyAnnotations(flat: FlatElement): Annotations {
  const result = elementAnnotations(flat.annotated);
  const isKey = flat.key && flat.foreignKey4 === undefined;
  if (isKey && flat.element.$type.builtin === "cds.UUID") {
    setDefault(result, "Core.ComputedDefaultValue", true);
  }
  for (const [key, value] of result) if (leadsToHidden(value, flat.annotated)) result.delete(key);
  return result;
}

/** Whether the value is a path to an element that metadata does not have, as the type of a stream may be. */
function leadsToHidden(value: unknown, { parent }: LinkedElement): boolean {
  if (!isPlainObject(value) || typeof value["="] !== "string") return false;
  const elements = (parent as Partial<LinkedEntity> | undefined)?.elements; // of an entity or a structure
  const [name] = value["="].split(/[./]/, 1);
  return elements !== undefined && Object.hasOwn(elements, name!) &&
    elements[name!]!["@cds.api.ignore"] === true;
}

/** Terms for properties only: with an association they describe its foreign keys. */
const PROPERTY_TERMS =
  /^(Common\.(FieldControl|ValueList|Text|IsDigitSequence)|Core\.(Computed|Immutable|MediaType)|Measures\.|Validation\.)/;

/**
 * The annotations of a navigation property.
 *
 * @param association the association
 */
export function navigationAnnotations(association: LinkedElement): Annotations {
  return new Map([...commonAnnotations(association)].filter(([key]) => !PROPERTY_TERMS.test(key)));
}

function addRange(result: Annotations, element: LinkedElement): void {
  const range = element["@assert.range"];
  if (element.$type.enum && element.$type.extended === undefined) {
    const values = Object.entries(element.$type.enum).map(([name, symbol]) => ({
      "@Core.SymbolicName": name,
      Value: symbol.val ?? name,
    }));
    setDefault(result, "Validation.AllowedValues", values);
  } else if (Array.isArray(range) && range.length === 2) {
    addBound(result, "Validation.Minimum", range[0]);
    addBound(result, "Validation.Maximum", range[1]);
  }
}

/** `(0)` is an exclusive bound, `_` none. */
function addBound(result: Annotations, term: string, bound: unknown): void {
  if (typeof bound !== "object" || bound === null) {
    if (bound !== undefined && bound !== null) setDefault(result, term, bound);
    return;
  }
  if (!("val" in bound) || result.has(term)) return;
  result.set(term, bound.val);
  result.set(`${term}.@Validation.Exclusive`, true);
}

/** Terms of entity sets; all others describe the type. */
const SET_TERMS = /^(Capabilities\.|Core\.OptimisticConcurrency$|Common\.Draft(Root|Node)\b)/;
/** Describes both. */
const SIDE_EFFECTS = /^Common\.SideEffects\b/;

/**
 * The annotations of an entity for its type and for its set.
 *
 * @param entity the entity
 */
export function entityAnnotations(
  entity: LinkedEntity,
): { readonly type: Annotations; readonly set: Annotations } {
  const type: Annotations = new Map();
  const set: Annotations = new Map();
  for (const [key, value] of commonAnnotations(entity)) {
    const isOfSet = SET_TERMS.test(key);
    if (!isOfSet) type.set(key, value);
    if (isOfSet || SIDE_EFFECTS.test(key)) set.set(key, value);
  }
  if (entity["@readonly"] === true) restrict(set, ["Delete", "Insert", "Update"]);
  else if (entity["@insertonly"] === true) restrict(set, ["Delete", "Read", "Update"]);
  if (entity["@odata.trackChanges"] === true) setDefault(set, "Capabilities.ChangeTracking.Supported", true);
  const demandsVersion = (element: LinkedElement) =>
    isSet(element["@odata.etag"]) && element["@odata.etag.optional"] !== true;
  if ([...entity.elements].some(demandsVersion)) {
    setDefault(set, "Core.OptimisticConcurrency", []);
  }
  return { type, set };
}

const ADJECTIVES = {
  Delete: "Deletable",
  Insert: "Insertable",
  Read: "Readable",
  Update: "Updatable",
} as const;

function restrict(set: Annotations, verbs: readonly (keyof typeof ADJECTIVES)[]): void {
  for (const verb of verbs) setDefault(set, `Capabilities.${verb}Restrictions.${ADJECTIVES[verb]}`, false);
}
