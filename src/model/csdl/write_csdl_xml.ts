/**
 * Metadata as XML (OData CSDL XML 4.01).
 *
 * Dynamic expressions of annotations: from their JSON form (`$edmJson`) to XML (OData CSDL 4.01 clause 14.4).
 *
 * @module
 */

import type {
  Csdl,
  CsdlAnnotation,
  CsdlEnumType,
  CsdlImport,
  CsdlNavigationProperty,
  CsdlOperation,
  CsdlProperty,
  CsdlSet,
  CsdlStructuredType,
  CsdlTexts,
  CsdlType,
  CsdlValue,
  CsdlVersion,
} from "./csdl.ts";
import { localizedText, usedVocabularies } from "./vocabularies.ts";
import { element, type XmlNode, xmlText } from "./xml.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";

/** Namespace of the document. */
export const EDMX = "http://docs.oasis-open.org/odata/ns/edmx";
/** Namespace of schemas. */
export const EDM = "http://docs.oasis-open.org/odata/ns/edm";

/**
 * Writes metadata as XML.
 *
 * @param csdl the metadata
 * @param texts texts for `{i18n>key}` in annotations; keys without text stay as they are
 * @param version version of OData that the document says it follows
 */
export function writeCsdlXml(csdl: Csdl, texts?: CsdlTexts, version: CsdlVersion = "4.0"): string {
  const schema = element("Schema", { Namespace: csdl.namespace, xmlns: EDM }, [
    element("EntityContainer", { Name: "EntityContainer" }, [
      ...csdl.sets.map(setXml),
      ...csdl.imports.map(importXml),
    ]),
    ...csdl.types.map(typeXml),
    ...csdl.enums.map(enumXml),
    ...csdl.operations.map(operationXml),
    ...csdl.schemaAnnotations.map((annotation) => annotationXml(annotation, texts)),
    ...annotationsXml(csdl, texts),
  ]);
  return xmlText(element("edmx:Edmx", { Version: version, "xmlns:edmx": EDMX }, [
    ...referencesXml(csdl),
    element("edmx:DataServices", {}, [schema]),
  ]));
}

/**
 * References to the vocabularies that metadata use.
 *
 * @param csdl the metadata
 */
export function referencesXml(csdl: Csdl): readonly XmlNode[] {
  return usedVocabularies(csdl).map(({ uri, alias, namespace }) =>
    element("edmx:Reference", { Uri: uri }, [element("edmx:Include", { Alias: alias, Namespace: namespace })])
  );
}

/**
 * The annotations of all that metadata declare, by their targets.
 *
 * @param csdl the metadata
 * @param texts texts for `{i18n>key}`
 */
export function annotationsXml({ annotations }: Csdl, texts?: CsdlTexts): readonly XmlNode[] {
  return annotations.map(([Target, own]) =>
    element("Annotations", { Target }, own.map((annotation) => annotationXml(annotation, texts)))
  );
}

function setXml({ kind, name, type, bindings, nullable, holdsParameters }: CsdlSet): XmlNode {
  const children = bindings.map(([Path, Target]) => element("NavigationPropertyBinding", { Path, Target }));
  const included = holdsParameters ? { IncludeInServiceDocument: "false" } : {};
  return kind === "set"
    ? element("EntitySet", { Name: name, EntityType: type, ...included }, children)
    : element("Singleton", { Name: name, Type: type, ...(nullable && { Nullable: "true" }) }, children);
}

function importXml({ kind, name, operation, entitySet }: CsdlImport): XmlNode {
  return kind === "action"
    ? element("ActionImport", { Name: name, Action: operation, EntitySet: entitySet })
    : element("FunctionImport", { Name: name, Function: operation, EntitySet: entitySet });
}

function enumXml({ name, underlyingType, flags, members }: CsdlEnumType): XmlNode {
  return element("EnumType", {
    Name: name,
    UnderlyingType: underlyingType === "Edm.Int32" ? undefined : underlyingType,
    IsFlags: flags ? "true" : undefined,
  }, members.map(([Name, Value]) => element("Member", { Name, Value })));
}

function typeXml({ kind, name, key, open, members, baseType, hasStream }: CsdlStructuredType): XmlNode {
  const keys = key.length > 0
    ? [element("Key", {}, key.map((Name) => element("PropertyRef", { Name })))]
    : [];
  return element(
    kind === "entity" ? "EntityType" : "ComplexType",
    {
      Name: name,
      BaseType: baseType,
      OpenType: open ? "true" : undefined,
      HasStream: hasStream ? "true" : undefined,
    },
    [
      ...keys,
      ...members.map((member) => member.kind === "property" ? propertyXml(member) : navigationXml(member)),
    ],
  );
}

function typeAttributes(type: CsdlType): Record<string, string | number | undefined> {
  return {
    Type: type.collection ? `Collection(${type.type})` : type.type,
    MaxLength: type.maxLength,
    Precision: type.precision,
    Scale: type.scale,
    SRID: type.srid,
    Nullable: nullableAttribute(type),
  };
}

/** Single values are nullable by default, collections say so (CSDL XML 4.01, clause 7.2.1). */
function nullableAttribute({ collection, nullable }: CsdlType): string | undefined {
  if (nullable === undefined) return undefined;
  if (collection) return String(nullable);
  return nullable ? undefined : "false";
}

function propertyXml(property: CsdlProperty): XmlNode {
  const { name, defaultValue } = property;
  const DefaultValue = defaultValue === undefined ? undefined : String(defaultValue);
  return element("Property", { Name: name, ...typeAttributes(property), DefaultValue });
}

function navigationXml(property: CsdlNavigationProperty): XmlNode {
  const { name, type, collection, nullable, partner, containsTarget } = property;
  return element("NavigationProperty", {
    Name: name,
    Type: collection ? `Collection(${type})` : type,
    Nullable: nullable || collection ? undefined : "false",
    Partner: partner,
    ContainsTarget: containsTarget ? "true" : undefined,
  }, [
    ...(property.onDeleteCascade ? [element("OnDelete", { Action: "Cascade" })] : []),
    ...property.referentialConstraints.map(([Property, ReferencedProperty]) =>
      element("ReferentialConstraint", { Property, ReferencedProperty })
    ),
  ]);
}

function operationXml(operation: CsdlOperation): XmlNode {
  const isFunction = operation.kind === "function";
  return element(isFunction ? "Function" : "Action", {
    Name: operation.name,
    IsBound: String(operation.bound),
    IsComposable: isFunction ? "false" : undefined,
    EntitySetPath: operation.entitySetPath,
  }, [
    ...operation.parameters.map((parameter) =>
      element("Parameter", { Name: parameter.name, ...typeAttributes(parameter) })
    ),
    ...(operation.returns ? [element("ReturnType", typeAttributes(operation.returns))] : []),
  ]);
}

function annotationXml({ term, qualifier, value, annotations }: CsdlAnnotation, texts?: CsdlTexts): XmlNode {
  const { attributes, children } = valueXml(value, texts);
  return element("Annotation", { Term: term, Qualifier: qualifier, ...attributes }, [
    ...children,
    ...annotations.map((nested) => annotationXml(nested, texts)),
  ]);
}

interface ValueXml {
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

const ATTRIBUTES = {
  string: "String",
  path: "Path",
  propertyPath: "PropertyPath",
  navigationPropertyPath: "NavigationPropertyPath",
  annotationPath: "AnnotationPath",
  enum: "EnumMember",
  bool: "Bool",
  int: "Int",
  decimal: "Decimal",
} as const;

function valueXml(value: CsdlValue, texts?: CsdlTexts): ValueXml {
  switch (value.kind) {
    case "null":
      return { attributes: {}, children: [element("Null")] };
    case "collection":
      return {
        attributes: {},
        children: [element("Collection", {}, value.items.map((item) => itemXml(item, texts)))],
      };
    case "record":
      return { attributes: {}, children: [recordXml(value, texts)] };
    case "expression":
      return { attributes: {}, children: [expressionXml(value.json)] };
    case "string":
      return { attributes: { String: localizedText(value.value, texts) }, children: [] };
    default:
      return { attributes: { [ATTRIBUTES[value.kind]]: String(value.value) }, children: [] };
  }
}

function recordXml(record: Extract<CsdlValue, { kind: "record" }>, texts?: CsdlTexts): XmlNode {
  return element("Record", { Type: record.type }, [
    ...record.properties.map(([Property, value]) => {
      const { attributes, children } = valueXml(value, texts);
      return element("PropertyValue", { Property, ...attributes }, children);
    }),
    ...record.annotations.map((annotation) => annotationXml(annotation, texts)),
  ]);
}

/** In collections values are elements of their own, not attributes. */
function itemXml(value: CsdlValue, texts?: CsdlTexts): XmlNode {
  const { attributes, children } = valueXml(value, texts);
  const [name, text] = Object.entries(attributes)[0] ?? [];
  return name === undefined ? children[0] : element(name, {}, [], text);
}

const PATHS = ["Path", "PropertyPath", "NavigationPropertyPath", "AnnotationPath", "ModelElementPath"];
const NAME = /^\$([A-Z]\w*)$/;

/**
 * An expression as XML element.
 *
 * @param json the expression in its JSON form
 */
function expressionXml(json: unknown): XmlNode {
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
  if (key === undefined || name === undefined) return expressionRecord(json);
  if (name === "Null") return element("Null");
  const operands = Array.isArray(json[key]) ? json[key] : [json[key]];
  const attributes: Record<string, string> = {};
  for (const [other, value] of Object.entries(json)) {
    const attribute = NAME.exec(other)?.[1];
    if (other !== key && attribute && typeof value !== "object") attributes[attribute] = String(value);
  }
  return element(name, attributes, operands.map(expressionXml));
}

function expressionRecord(json: Readonly<Record<string, unknown>>): XmlNode {
  const properties = Object.entries(json).filter(([name]) => !name.startsWith("@"));
  return element(
    "Record",
    {},
    properties.map(([Property, value]) => element("PropertyValue", { Property }, [expressionXml(value)])),
  );
}
