import { isEnumTerm } from "../csdl/vocabularies.ts";
import type { CsnDefinition, CsnElement, CsnOperation, TypeExpression } from "../csn.ts";
import type { CsdlDocument, CsdlObject } from "./csdl_document.ts";

const TYPES: Readonly<Record<string, CsnElement>> = {
  "Edm.String": { type: "cds.String" },
  "Edm.Guid": { type: "cds.UUID" },
  "Edm.Boolean": { type: "cds.Boolean" },
  "Edm.Byte": { type: "cds.UInt8" },
  "Edm.SByte": { type: "cds.Int16", "@odata.Type": "Edm.SByte" },
  "Edm.Int16": { type: "cds.Int16" },
  "Edm.Int32": { type: "cds.Integer" },
  "Edm.Int64": { type: "cds.Int64" },
  "Edm.Decimal": { type: "cds.Decimal" },
  "Edm.Double": { type: "cds.Double" },
  "Edm.Single": { type: "cds.Double", "@odata.Type": "Edm.Single" },
  "Edm.Date": { type: "cds.Date" },
  "Edm.TimeOfDay": { type: "cds.Time" },
  "Edm.DateTimeOffset": { type: "cds.Timestamp" },
  // of OData 2
  "Edm.DateTime": { type: "cds.Timestamp", "@odata.Type": "Edm.DateTime" },
  "Edm.Time": { type: "cds.Time" },
  "Edm.Duration": { type: "cds.Decimal", "@odata.Type": "Edm.Duration" },
  "Edm.Binary": { type: "cds.Binary" },
  "Edm.Stream": { type: "cds.LargeBinary", "@Core.MediaType": "application/octet-stream" },
  "Edm.Untyped": { type: "cds.Map" },
};

/** Names of types of the document as names of the model. */
export type TypeNames = (qualified: string) => string;

/**
 * The type of a property, parameter or result.
 *
 * @param facets `$Type`, `$Collection`, `$Nullable`, …
 * @param nameOf names of types of the document
 * @returns a type expression; collections have `items`
 */
function importedType(facets: CsdlObject, nameOf: TypeNames): CsnElement {
  const { $Collection, $Nullable, $Type = "Edm.String" } = facets;
  const single = singleType(String($Type), facets, nameOf);
  if ($Collection === true) return { items: single as TypeExpression };
  return { ...single, ...($Nullable === true ? {} : { notNull: true }) };
}

function singleType(name: string, facets: CsdlObject, nameOf: TypeNames): CsnElement {
  if (!name.startsWith("Edm.")) return { type: nameOf(name) };
  const base: CsnElement = TYPES[name] ??
    (/^Edm\.Geo(graphy|metry)/.test(name)
      ? { type: "cds.Map", "@odata.Type": name }
      : { type: "cds.LargeString" });
  const { $MaxLength, $Precision, $Scale } = facets;
  if (name === "Edm.String" || name === "Edm.Binary") return sized(base, $MaxLength);
  if (/^Edm\.DateTime(?:Offset)?$/.test(name) && ($Precision === undefined || $Precision === 0)) {
    return { ...base, type: facets["@sap.display-format"] === "Date" ? "cds.Date" : "cds.DateTime" };
  }
  if (name !== "Edm.Decimal") return base;
  return {
    ...base,
    ...(typeof $Precision === "number" ? { precision: $Precision } : {}),
    ...(typeof $Scale === "number" ? { scale: $Scale } : {}),
  };
}

/** Texts and bytes without length are large ones. */
function sized(base: CsnElement, length: unknown): CsnElement {
  if (typeof length === "number") return { ...base, length };
  return base.type === "cds.Binary" ? { type: "cds.LargeBinary" } : { type: "cds.LargeString" };
}

/**
 * A property as element.
 *
 * @param property its facets
 * @param annotations its annotations
 * @param nameOf names of types of the document
 */
export function importedProperty(
  property: CsdlObject,
  annotations: CsdlObject,
  nameOf: TypeNames,
): CsnElement {
  const { $DefaultValue: value } = property;
  const isLiteral = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return {
    ...importedType(property, nameOf),
    ...(isLiteral ? { default: { val: value } } : {}),
    ...importedAnnotations(annotations),
  };
}

/**
 * Annotations as the model holds them: records flat, member by member.
 *
 * @param annotations values by `@Vocabulary.Term`
 */
export function importedAnnotations(annotations: CsdlObject): Readonly<Record<`@${string}`, unknown>> {
  const result: Record<`@${string}`, unknown> = {};
  for (const [name, value] of Object.entries(annotations)) {
    for (const [key, inner] of flattened(name.replace(/(?<=.)@/, ".@"), value)) {
      result[key as `@${string}`] = inner;
    }
  }
  return result;
}

function* flattened(name: string, value: unknown): Iterable<readonly [string, unknown]> {
  if (!isRecord(value) || "$Path" in value || Object.keys(value).length === 0) {
    const term = name.replace(/^.*@|#.*$/g, "");
    yield [name, typeof value === "string" && isEnumTerm(term) ? { "#": value } : memberValue(value)];
    return;
  }
  for (const [member, inner] of Object.entries(value)) {
    if (!TYPE_MEMBERS.has(member)) yield* flattened(`${name}.${member}`, inner);
  }
}

/** Records inside of lists stay records. */
function memberValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(memberValue);
  if (!isRecord(value)) return value;
  if (typeof value.$Path === "string") return { "=": value.$Path };
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) =>
      TYPE_MEMBERS.has(name) ? ["$Type", String(inner).replace(/^.*#/, "")] : [name, memberValue(inner)]
    ),
  );
}

/** Name the type of a record, in 4.01 and in 4.0. */
const TYPE_MEMBERS: ReadonlySet<string> = new Set(["@type", "@odata.type"]);

function isRecord(value: unknown): value is CsdlObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Definitions = Record<string, CsnDefinition>;

/**
 * Adds the operations of a document: those that have an import to the service, bound ones to all entities of their type.
 *
 * @param importer the document
 * @param definitions gets them
 */
export function importOperations(importer: ImportScope, definitions: Definitions): void {
  for (const [name, member] of importer.members) {
    const given = member.$Action ?? member.$Function;
    if (typeof given !== "string") continue;
    const overloads = overloadsOf(importer, importer.csdl.qualify(given)).filter(({ $IsBound }) => !$IsBound);
    overloads.forEach((overload, index) => {
      const operation = importOperation(importer, overload, given);
      definitions[`${importer.service}.${numbered(name, index)}`] = {
        ...operation,
        "@cds.external": true,
        ...overloadMark(name, index),
      };
    });
  }
  for (const { qualified, name } of importer.csdl.definitions.values()) {
    for (const overload of overloadsOf(importer, qualified)) {
      if (overload.$IsBound === true) bind(importer, definitions, { name, qualified, overload });
    }
  }
}

interface Bound {
  readonly name: string;
  readonly qualified: string;
  readonly overload: CsdlObject;
}

function bind(importer: ImportScope, definitions: Definitions, { name, qualified, overload }: Bound): void {
  const [binding] = overload.$Parameter as readonly CsdlObject[];
  const entity = definitions[importer.nameOf(String(binding.$Type))];
  if (entity?.kind !== "entity") return;
  const known = new Set(Object.keys(entity.actions ?? {}));
  let index = 0;
  while (known.has(numbered(name, index))) index++;
  const operation = importOperation(importer, overload, qualified);
  const self = { items: { type: "$self" } };
  const params = binding.$Collection === true
    ? { [String(binding.$Name)]: self, ...operation.params }
    : operation.params;
  const actions = {
    ...entity.actions,
    [numbered(name, index)]: { ...operation, ...(params ? { params } : {}), ...overloadMark(name, index) },
  };
  definitions[importer.nameOf(String(binding.$Type))] = { ...entity, actions };
}

function overloadsOf({ csdl }: ImportScope, qualified: string): readonly CsdlObject[] {
  const value = csdl.definitions.get(qualified)?.value;
  return Array.isArray(value) ? value : [];
}

function importOperation(importer: ImportScope, overload: CsdlObject, qualified: string): CsnOperation {
  const { $Kind, $IsBound, $Parameter = [], $ReturnType } = overload;
  const all = $Parameter as readonly CsdlObject[];
  const types = all.map(({ $Type = "Edm.String", $Collection }) => {
    const type = importer.csdl.qualify(String($Type));
    return $Collection === true ? `Collection(${type})` : type;
  });
  const target = `${importer.csdl.qualify(qualified)}(${types.join(",")})`;
  const annotationsOf = (path: string, inline: CsdlObject) => ({
    ...importer.csdl.annotationsOf(`${importer.csdl.qualify(qualified)}()${path}`, inline),
    ...importer.csdl.annotationsOf(target + path),
  });
  const own = all.slice($IsBound === true ? 1 : 0);
  const params = Object.fromEntries(own.map((parameter) => {
    const name = String(parameter.$Name);
    const annotations = annotationsOf(`/${name}`, parameter);
    return [name, importedProperty(parameter, annotations, importer.nameOf)];
  }));
  return {
    kind: $Kind === "Function" ? "function" : "action",
    ...importedAnnotations(annotationsOf("", overload)),
    ...(own.length > 0 ? { params } : {}),
    ...(typeof $ReturnType === "object" && $ReturnType !== null
      ? { returns: importedType($ReturnType as CsdlObject, importer.nameOf) as TypeExpression }
      : {}),
  };
}

function numbered(name: string, index: number): string {
  return index === 0 ? name : `${name}_${index + 1}`;
}

function overloadMark(name: string, index: number): { readonly "@odata.overload"?: string } {
  return index === 0 ? {} : { "@odata.overload": name };
}

/** A document on its way into a model. */
export interface ImportScope {
  /** The document. */
  readonly csdl: CsdlDocument;
  /** Name of the service in the model. */
  readonly service: string;
  /** Members of the entity container: sets, singletons, imports of operations. */
  readonly members: readonly (readonly [string, CsdlObject])[];
  /** The name in the model of a type of the document. */
  readonly nameOf: (qualified: string) => string;
  /** The members of a structured type by name, those of its base types too. */
  membersOfType(qualified: string): ReadonlyMap<string, CsdlObject>;
}
