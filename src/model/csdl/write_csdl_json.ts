/**
 * Metadata as JSON (OData CSDL JSON 4.01).
 *
 * @module
 */

import type {
  Csdl,
  CsdlAnnotation,
  CsdlEnumType,
  CsdlNavigationProperty,
  CsdlOperation,
  CsdlProperty,
  CsdlStructuredType,
  CsdlTexts,
  CsdlType,
  CsdlValue,
  CsdlVersion,
} from "./csdl.ts";
import { localizedText, usedVocabularies, vocabulary } from "./vocabularies.ts";

type Json = Record<string, unknown>;

/** What annotations are written with. */
interface AnnotationOptions {
  readonly texts: CsdlTexts | undefined;
  /** Name of the control information for types of records: in 4.0 with prefix. */
  readonly typeName: "@odata.type" | "@type";
}

/**
 * Writes metadata as JSON.
 *
 * @param csdl the metadata
 * @param texts texts for `{i18n>key}` in annotations; keys without text stay as they are
 * @param version version of OData that the document says it follows
 * @returns the document as data
 */
export function writeCsdlJson(
  csdl: Csdl,
  texts?: CsdlTexts,
  version: CsdlVersion = "4.0",
): Record<string, unknown> {
  const schema: Json = {};
  for (const type of csdl.types) schema[type.name] = typeJson(type);
  for (const type of csdl.enums) schema[type.name] = enumJson(type);
  for (const operation of csdl.operations) {
    const overloads = (schema[operation.name] ??= []) as Json[]; // names of types and operations differ
    overloads.push(operationJson(operation));
  }
  schema.EntityContainer = containerJson(csdl);
  const options: AnnotationOptions = { texts, typeName: version === "4.0" ? "@odata.type" : "@type" };
  Object.assign(schema, annotationsJson(csdl.schemaAnnotations, options));
  if (csdl.annotations.length > 0) {
    schema.$Annotations = Object.fromEntries(
      csdl.annotations.map(([target, annotations]) => [target, annotationsJson(annotations, options)]),
    );
  }
  const references = usedVocabularies(csdl).map(({ uri, alias, namespace }) => [
    uri.replace(/\.xml$/, ".json"),
    { $Include: [{ $Namespace: namespace, $Alias: alias }] },
  ]);
  return {
    $Version: version,
    ...(references.length > 0 && { $Reference: Object.fromEntries(references) }),
    $EntityContainer: `${csdl.namespace}.EntityContainer`,
    [csdl.namespace]: schema,
  };
}

function containerJson(csdl: Csdl): Json {
  const container: Json = { $Kind: "EntityContainer" };
  for (const { kind, name, type, bindings, nullable, holdsParameters } of csdl.sets) {
    container[name] = {
      ...(kind === "set" && { $Collection: true }),
      ...(nullable && { $Nullable: true }),
      $Type: type,
      ...(holdsParameters && { $IncludeInServiceDocument: false }),
      ...(bindings.length > 0 && { $NavigationPropertyBinding: Object.fromEntries(bindings) }),
    };
  }
  for (const { kind, name, operation, entitySet } of csdl.imports) {
    container[name] = {
      [kind === "action" ? "$Action" : "$Function"]: operation,
      ...(entitySet !== undefined && { $EntitySet: entitySet }),
    };
  }
  return container;
}

function enumJson({ underlyingType, flags, members }: CsdlEnumType): Json {
  return {
    $Kind: "EnumType",
    ...(underlyingType !== "Edm.Int32" && { $UnderlyingType: underlyingType }),
    ...(flags && { $IsFlags: true }),
    ...Object.fromEntries(members),
  };
}

function typeJson({ kind, key, open, members, baseType, hasStream }: CsdlStructuredType): Json {
  return {
    $Kind: kind === "entity" ? "EntityType" : "ComplexType",
    ...(baseType !== undefined && { $BaseType: baseType }),
    ...(hasStream && { $HasStream: true }),
    ...(open && { $OpenType: true }),
    ...(key.length > 0 && { $Key: key }),
    ...Object.fromEntries(
      members.map((
        member,
      ) => [member.name, member.kind === "property" ? propertyJson(member) : navigationJson(member)]),
    ),
  };
}

/** Facets. No precision means any here, but none of the seconds in XML (clause 7.2.2). */
function facetsJson(type: CsdlType): Json {
  const precision = type.precision ?? (type.type === "Edm.DateTimeOffset" ? 0 : undefined);
  return {
    ...(type.collection && { $Collection: true }),
    ...(type.type !== "Edm.String" && { $Type: type.type }),
    ...(type.nullable && { $Nullable: true }),
    ...(type.maxLength !== undefined && { $MaxLength: type.maxLength }),
    ...(precision !== undefined && { $Precision: precision }),
    ...(type.scale !== undefined && { $Scale: type.scale }),
    ...(type.srid !== undefined && { $SRID: type.srid }),
  };
}

function propertyJson(property: CsdlProperty): Json {
  const { defaultValue } = property;
  return { ...facetsJson(property), ...(defaultValue !== undefined && { $DefaultValue: defaultValue }) };
}

function navigationJson(property: CsdlNavigationProperty): Json {
  const { type, collection, nullable, partner, containsTarget, referentialConstraints } = property;
  return {
    $Kind: "NavigationProperty",
    ...(collection && { $Collection: true }),
    $Type: type,
    ...(!collection && nullable && { $Nullable: true }),
    ...(partner !== undefined && { $Partner: partner }),
    ...(containsTarget && { $ContainsTarget: true }),
    ...(property.onDeleteCascade && { $OnDelete: "Cascade" }),
    ...(referentialConstraints.length > 0 &&
      { $ReferentialConstraint: Object.fromEntries(referentialConstraints) }),
  };
}

function operationJson(operation: CsdlOperation): Json {
  return {
    $Kind: operation.kind === "function" ? "Function" : "Action",
    $IsBound: operation.bound,
    ...(operation.kind === "function" && { $IsComposable: false }),
    ...(operation.entitySetPath !== undefined && { $EntitySetPath: operation.entitySetPath }),
    ...(operation.parameters.length > 0 && {
      $Parameter: operation.parameters.map((parameter) => ({
        $Name: parameter.name,
        ...facetsJson(parameter),
      })),
    }),
    ...(operation.returns && { $ReturnType: facetsJson(operation.returns) }),
  };
}

function annotationsJson(annotations: readonly CsdlAnnotation[], options: AnnotationOptions): Json {
  const result: Json = {};
  for (const { term, qualifier, value, annotations: nested } of annotations) {
    const name = `@${term}${qualifier === undefined ? "" : `#${qualifier}`}`;
    result[name] = valueJson(value, options);
    for (const [key, inner] of Object.entries(annotationsJson(nested, options))) {
      result[`${name}${key}`] = inner;
    }
  }
  return result;
}

function valueJson(value: CsdlValue, options: AnnotationOptions): unknown {
  switch (value.kind) {
    case "null":
      return null;
    case "string":
      return localizedText(value.value, options.texts);
    case "path":
      return { $Path: value.value };
    case "enum":
      return value.value.split(" ").map((member) => member.slice(member.lastIndexOf("/") + 1)).join(",");
    case "collection":
      return value.items.map((item) => valueJson(item, options));
    case "record":
      return {
        ...(value.type !== undefined && { [options.typeName]: typeUri(value.type) }),
        ...Object.fromEntries(value.properties.map(([name, inner]) => [name, valueJson(inner, options)])),
        ...annotationsJson(value.annotations, options),
      };
    case "expression":
      return value.json;
    default:
      return value.value;
  }
}

/** A type of a record: the document that defines it, and its name there (CSDL JSON 4.01 clause 14.4.12). */
function typeUri(type: string): string {
  return `${vocabulary(type.slice(0, type.lastIndexOf(".")))?.uri ?? ""}#${type}`;
}
