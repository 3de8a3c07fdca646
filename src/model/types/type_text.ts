/**
 * Types of elements as TypeScript text.
 *
 * @module
 */

import type { LinkedElement, LinkedModel, ResolvedType } from "../linked.ts";
import { typeReference } from "./type_name.ts";

/** Values as rows and payloads hold them in JavaScript. */
const PRIMITIVES: Readonly<Record<string, string>> = {
  "cds.Boolean": "boolean",
  "cds.UInt8": "number",
  "cds.Int16": "number",
  "cds.Int32": "number",
  "cds.Integer": "number",
  "cds.Int64": "number | string",
  "cds.Integer64": "number | string",
  "cds.Decimal": "number | string",
  "cds.DecimalFloat": "number | string",
  "cds.Double": "number",
  "cds.Map": "Record<string, unknown>",
  "cds.Vector": "readonly number[]",
};

/**
 * The type of the values of an element, without regard to null.
 *
 * @param element an element, parameter, result or item
 * @param model finds named types
 * @returns TypeScript text that can stand in a union
 */
export function elementType(element: LinkedElement, model: LinkedModel): string {
  if (element.isAssociation) {
    const target = element.$target ? typeReference(element.$target.name) : "Record<string, unknown>";
    return element.is2many ? `${target}[]` : target;
  }
  const entity = typeof element.type === "string" ? model.entity(element.type) : undefined;
  if (entity) return typeReference(entity.name);
  const { typeName } = element.$type;
  if (typeName !== undefined && Object.hasOwn(model.definitions, typeName)) return typeReference(typeName);
  return resolvedType(element.$type, model);
}

/**
 * The text of a type that has no name.
 *
 * @param type the type
 * @param model finds named types
 */
export function resolvedType(type: ResolvedType, model: LinkedModel): string {
  if (type.items) return `${grouped(elementType(type.items, model))}[]`;
  if (type.elements) return `{ ${membersOf(type.elements, model).join(" ")} }`;
  const symbols = Object.entries(type.enum ?? {});
  if (symbols.length > 0) return symbols.map(([name, { val }]) => JSON.stringify(val ?? name)).join(" | ");
  return PRIMITIVES[type.builtin ?? ""] ?? "string";
}

/**
 * The members of a structure as lines of an interface. What input must have (`@mandatory`) is there when handlers see it.
 *
 * @param elements the elements
 * @param model finds named types
 */
export function membersOf(elements: Iterable<LinkedElement>, model: LinkedModel): string[] {
  return [...elements].map((element) => {
    const isNeeded = element.key === true || element.notNull === true || element["@mandatory"] === true;
    const type = elementType(element, model);
    return `${memberName(element.name)}${isNeeded ? "" : "?"}: ${isNeeded ? type : `${type} | null`};`;
  });
}

/**
 * The name of a member, quoted where it is no identifier.
 *
 * @param name any name
 */
export function memberName(name: string): string {
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
}

function grouped(type: string): string {
  return type.includes("|") ? `(${type})` : type;
}
