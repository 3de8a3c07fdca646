/**
 * The vocabularies that annotations are rendered for, and what is known of the types of their terms (csn-cqn 12).
 *
 * @module
 */

import type { Csdl, CsdlAnnotation, CsdlTexts, CsdlValue } from "./csdl.ts";

/** Where a vocabulary is defined. */
export interface Vocabulary {
  readonly alias: string;
  readonly namespace: string;
  readonly uri: string;
}

const OASIS = "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/";
const SAP = "https://sap.github.io/odata-vocabularies/vocabularies/";

const OASIS_NAMES = [
  "Aggregation",
  "Authorization",
  "Capabilities",
  "Core",
  "JSON",
  "Measures",
  "Repeatability",
  "Temporal",
  "Validation",
];
const SAP_NAMES = [
  "Analytics",
  "CodeList",
  "Common",
  "Communication",
  "DataIntegration",
  "Hierarchy",
  "PDF",
  "PersonalData",
  "Session",
  "UI",
];

const VOCABULARIES: ReadonlyMap<string, Vocabulary> = new Map([
  ...OASIS_NAMES.map((alias): [string, Vocabulary] => {
    const namespace = `Org.OData.${alias}.V1`;
    return [alias, { alias, namespace, uri: `${OASIS}${namespace}.xml` }];
  }),
  ...SAP_NAMES.map((alias): [string, Vocabulary] => {
    return [alias, { alias, namespace: `com.sap.vocabularies.${alias}.v1`, uri: `${SAP}${alias}.xml` }];
  }),
]);

/**
 * A vocabulary by its alias.
 *
 * @param alias `Core`, `UI` and so on
 */
export function vocabulary(alias: string): Vocabulary | undefined {
  return VOCABULARIES.get(alias);
}

/**
 * A vocabulary by its namespace.
 *
 * @param namespace `Org.OData.Core.V1`, or the alias
 */
export function vocabularyOf(namespace: string): Vocabulary | undefined {
  return VOCABULARIES.get(namespace) ??
    [...VOCABULARIES.values()].find((vocabulary) => vocabulary.namespace === namespace);
}

/** Types of records (or of the members of collections) by term or by property. */
const RECORD_TYPES: Readonly<Record<string, string>> = {
  "Common.ValueList": "Common.ValueListType",
  "Common.ValueListMapping": "Common.ValueListMappingType",
  "Common.DraftNode": "Common.DraftNodeType",
  "Common.DraftRoot": "Common.DraftRootType",
  "Common.SideEffects": "Common.SideEffectsType",
  "Common.SemanticObjectMapping": "Common.SemanticObjectMappingType",
  "Common.Text": "",
  "Core.ContentDisposition": "Core.ContentDispositionType",
  "Core.OptionalParameter": "Core.OptionalParameterType",
  "Core.Links": "Core.Link",
  "Core.Revisions": "Core.RevisionType",
  "Communication.Contact": "Communication.ContactType",
  "Communication.Address": "Communication.AddressType",
  "UI.Chart": "UI.ChartDefinitionType",
  "UI.DataPoint": "UI.DataPointType",
  "UI.Facets": "UI.ReferenceFacet",
  "UI.HeaderFacets": "UI.ReferenceFacet",
  "UI.QuickViewFacets": "UI.ReferenceFacet",
  "UI.QuickCreateFacets": "UI.ReferenceFacet",
  "UI.FieldGroup": "UI.FieldGroupType",
  "UI.HeaderInfo": "UI.HeaderInfoType",
  "UI.Identification": "UI.DataField",
  "UI.LineItem": "UI.DataField",
  "UI.StatusInfo": "UI.DataField",
  "UI.PresentationVariant": "UI.PresentationVariantType",
  "UI.SelectionVariant": "UI.SelectionVariantType",
  "UI.SelectionPresentationVariant": "UI.SelectionPresentationVariantType",
  "UI.Badge": "UI.BadgeType",
  "UI.KPI": "UI.KPIType",
  "Validation.AllowedValues": "Validation.AllowedValue",
  "Validation.Constraint": "Validation.ConstraintType",
  "Aggregation.ApplySupported": "Aggregation.ApplySupportedType",
  "Aggregation.RecursiveHierarchy": "Aggregation.RecursiveHierarchyType",
  "Analytics.AggregatedProperty": "Analytics.AggregatedPropertyType",
  "Hierarchy.RecursiveHierarchy": "Hierarchy.RecursiveHierarchyType",
  "Hierarchy.RecursiveHierarchyActions": "Hierarchy.RecursiveHierarchyActionsType",
  Data: "UI.DataField",
  Title: "UI.DataField",
  Description: "UI.DataField",
  SortOrder: "Common.SortOrderType",
  MeasureAttributes: "UI.ChartMeasureAttributeType",
  DimensionAttributes: "UI.ChartDimensionAttributeType",
  "Capabilities.ChangeTracking": "Capabilities.ChangeTrackingType",
  ReadByKeyRestrictions: "Capabilities.ReadByKeyRestrictionsType",
};

/** Enumeration types of terms and properties whose name is not simply followed by `Type`. */
const ENUM_TYPES: Readonly<Record<string, string>> = {
  Criticality: "UI.CriticalityType",
  CriticalityRepresentation: "UI.CriticalityRepresentationType",
  ChartType: "UI.ChartType",
  TextArrangement: "UI.TextArrangementType",
  "UI.TextArrangement": "UI.TextArrangementType",
  Importance: "UI.ImportanceType",
  "UI.Importance": "UI.ImportanceType",
  Role: "UI.ChartMeasureRoleType",
  "Core.Permissions": "Core.Permission",
  "Core.OperationAvailable": "",
};

/** Terms and properties whose paths name properties rather than stand for values. */
const PROPERTY_PATHS: ReadonlySet<string> = new Set([
  "Common.SemanticKey",
  "Core.OptimisticConcurrency",
  "UI.SelectionFields",
  "LocalDataProperty",
  "LocalProperty",
  "SourceProperties",
  "TargetProperties",
  "NonFilterableProperties",
  "NonSortableProperties",
  "RequiredProperties",
  "GroupBy",
  "GroupableProperties",
  "Property",
  "PropertyName",
  "Dimensions",
  "Measures",
  "Dimension",
  "Measure",
  "NodeProperty",
]);

/**
 * The type of records of a term or property.
 *
 * @param term alias and name of the term, or name of the property
 */
export function recordType(term: string): string | undefined {
  const known = RECORD_TYPES[term];
  if (known !== undefined) return known || undefined;
  return /^Capabilities\.\w+(Restrictions|Support)$/.test(term) ? `${term}Type` : undefined;
}

/**
 * Whether the values of a term are known to be members of an enumeration.
 *
 * @param term alias and name of the term
 */
export function isEnumTerm(term: string): boolean {
  return Object.hasOwn(ENUM_TYPES, term);
}

/**
 * The enumeration type of a term or property.
 *
 * @param term alias and name of the term, or name of the property
 * @param alias vocabulary of the term around the property
 */
export function enumType(term: string, alias: string): string {
  return ENUM_TYPES[term] ?? (term.includes(".") ? `${term}Type` : `${alias}.${term}Type`);
}

/**
 * Tells whether paths of a term or property name properties.
 *
 * @param term alias and name of the term, or name of the property
 */
export function isPropertyPath(term: string): boolean {
  return PROPERTY_PATHS.has(term);
}

/**
 * Finds the vocabularies in use, in the order of their aliases.
 *
 * @param csdl the metadata
 */
export function usedVocabularies(csdl: Csdl): Vocabulary[] {
  // These two are always there: annotation files of clients build on them.
  const aliases = new Set(["Common", "Core"]);
  collect(csdl.schemaAnnotations, aliases);
  for (const [, annotations] of csdl.annotations) collect(annotations, aliases);
  return [...aliases].sort().map(vocabulary).filter((found) => found !== undefined);
}

function collect(annotations: readonly CsdlAnnotation[], aliases: Set<string>): void {
  for (const { term, value, annotations: nested } of annotations) {
    aliases.add(term.slice(0, term.indexOf(".")));
    collectValue(value, aliases);
    collect(nested, aliases);
  }
}

function collectValue(value: CsdlValue, aliases: Set<string>): void {
  if (value.kind === "collection") { for (const item of value.items) collectValue(item, aliases); }
  if (value.kind === "enum") aliases.add(value.value.slice(0, value.value.indexOf(".")));
  if (value.kind !== "record") return;
  if (value.type?.includes(".")) aliases.add(value.type.slice(0, value.type.indexOf(".")));
  for (const [, inner] of value.properties) collectValue(inner, aliases);
  collect(value.annotations, aliases);
}

/** Whether an annotation stays. */
type AnnotationTest = (term: string, qualifier: string | undefined) => boolean;

/**
 * Leaves annotations out, those of annotations, too.
 *
 * @param csdl the metadata
 * @param stays which annotations stay
 */
export function onlyAnnotations(csdl: Csdl, stays: AnnotationTest): Csdl {
  const annotations = csdl.annotations.map(([target, list]) => [target, kept(list, stays)] as const);
  return {
    ...csdl,
    schemaAnnotations: kept(csdl.schemaAnnotations, stays),
    annotations: annotations.filter(([, list]) => list.length > 0),
  };
}

function kept(annotations: readonly CsdlAnnotation[], stays: AnnotationTest): readonly CsdlAnnotation[] {
  return annotations.filter(({ term, qualifier }) => stays(term, qualifier)).map((one) => ({
    ...one,
    value: keptInside(one.value, stays),
    annotations: kept(one.annotations, stays),
  }));
}

function keptInside(value: CsdlValue, stays: AnnotationTest): CsdlValue {
  if (value.kind === "collection") {
    return { ...value, items: value.items.map((item) => keptInside(item, stays)) };
  }
  if (value.kind !== "record") return value;
  const properties = value.properties.map(([name, inner]) => [name, keptInside(inner, stays)] as const);
  return { ...value, properties, annotations: kept(value.annotations, stays) };
}

/**
 * Replaces `{i18n>key}` by its text.
 *
 * @param text any text
 * @param texts finds texts by key
 * @returns the text for the key, or the text as it is
 */
export function localizedText(text: string, texts?: CsdlTexts): string {
  const key = /^\{(?:i18n|bi18n)>([^{}]+)\}$/.exec(text)?.[1];
  return key === undefined ? text : texts?.(key) ?? text;
}
