/**
 * Dynamic expressions of annotations: from their JSON form (`$edmJson`) to XML (OData CSDL 4.01 clause 14.4).
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import { element, type XmlNode } from "./xml.ts";

const PATHS = ["Path", "PropertyPath", "NavigationPropertyPath", "AnnotationPath", "ModelElementPath"];
const NAME = /^\$([A-Z]\w*)$/;

/**
 * An expression as XML element.
 *
 * @param json the expression in its JSON form
 */
export function expressionXml(json: unknown): XmlNode {
  if (json === null || json === undefined) return element("Null");
  if (typeof json === "boolean") return element("Bool", {}, [], String(json));
  if (typeof json === "number") {
    return element(Number.isInteger(json) ? "Int" : "Decimal", {}, [], String(json));
  }
  if (typeof json === "string") return element("String", {}, [], json);
  if (Array.isArray(json)) return element("Collection", {}, json.map(expressionXml));
  return isPlainObject(json) ? objectXml(json) : element("Null");
}

function objectXml(json: Readonly<Record<string, unknown>>): XmlNode {
  for (const path of PATHS) {
    if (typeof json[`$${path}`] === "string") return element(path, {}, [], String(json[`$${path}`]));
  }
  const key = Object.keys(json).find((name) => NAME.test(name));
  const name = key && NAME.exec(key)?.[1];
  if (key === undefined || name === undefined) return recordXml(json);
  if (name === "Null") return element("Null");
  const operands = Array.isArray(json[key]) ? json[key] : [json[key]];
  const attributes: Record<string, string> = {};
  for (const [other, value] of Object.entries(json)) {
    const attribute = NAME.exec(other)?.[1];
    if (other !== key && attribute && typeof value !== "object") attributes[attribute] = String(value);
  }
  return element(name, attributes, operands.map(expressionXml));
}

function recordXml(json: Readonly<Record<string, unknown>>): XmlNode {
  const properties = Object.entries(json).filter(([name]) => !name.startsWith("@"));
  return element(
    "Record",
    {},
    properties.map(([Property, value]) => element("PropertyValue", { Property }, [expressionXml(value)])),
  );
}
