/**
 * Metadata of a service as clients of OData 2 read them (OData 2.0, "Conceptual Schema Definition File Format"). What that
 * version has no word for is left out: collections of values, parameters that are structures.
 *
 * @module
 */

import type {
  Csdl,
  CsdlNavigationProperty,
  CsdlOperation,
  CsdlProperty,
  CsdlSet,
  CsdlStructuredType,
  CsdlTexts,
  CsdlType,
} from "./csdl.ts";
import { annotationsXml, EDM as EDM_4, EDMX as EDMX_4, referencesXml } from "./write_csdl_xml.ts";
import { element, type XmlNode, xmlText } from "./xml.ts";

const NAMESPACES = {
  "xmlns:edmx": "http://schemas.microsoft.com/ado/2007/06/edmx",
  "xmlns:m": "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata",
  "xmlns:sap": "http://www.sap.com/Protocols/SAPData",
};
const EDM = "http://schemas.microsoft.com/ado/2008/09/edm";

/** Types that have another name, or none, in OData 2. */
const TYPES: Readonly<Record<string, string>> = {
  "Edm.Date": "Edm.DateTime",
  "Edm.TimeOfDay": "Edm.Time",
  "Edm.Stream": "Edm.Binary",
  "Edm.Duration": "Edm.String",
  "Edm.Untyped": "Edm.String",
};

/**
 * Writes metadata as XML of OData 2.
 *
 * @param csdl the metadata
 * @param texts texts for `{i18n>key}` in annotations; keys without text stay as they are
 */
export function writeCsdlV2(csdl: Csdl, texts?: CsdlTexts): string {
  const associations = associationsOf(csdl);
  const schema = element("Schema", { Namespace: csdl.namespace, xmlns: EDM }, [
    ...csdl.types.map((type) => typeXml(type, csdl, associations)),
    ...associations.map((one) => associationXml(one, csdl)),
    element("EntityContainer", { Name: "EntityContainer", "m:IsDefaultEntityContainer": "true" }, [
      ...csdl.sets.map(({ name, type }) => element("EntitySet", { Name: name, EntityType: type })),
      ...associations.flatMap((one) => associationSets(one, csdl)),
      ...functionImports(csdl),
    ]),
    // targets that are operations have no name in this version
    ...annotationsXml({ ...csdl, annotations: csdl.annotations.filter(([to]) => !to.includes("(")) }, texts)
      .map((node) => withAttribute(node, "xmlns", EDM_4)),
  ]);
  return xmlText(element("edmx:Edmx", { Version: "1.0", ...NAMESPACES }, [
    ...referencesXml(csdl).map((node) => withAttribute(node, "xmlns:edmx", EDMX_4)),
    element("edmx:DataServices", { "m:DataServiceVersion": "2.0" }, [schema]),
  ]));
}

function withAttribute(node: XmlNode, name: string, value: string): XmlNode {
  return { ...node, attributes: { ...node.attributes, [name]: value } };
}

/** A navigation property and, where there is one, its partner. */
interface Association {
  readonly name: string;
  readonly owner: CsdlStructuredType;
  readonly forward: CsdlNavigationProperty;
  readonly back: CsdlNavigationProperty | undefined;
}

function associationsOf(csdl: Csdl): readonly Association[] {
  const done = new Set<CsdlNavigationProperty>();
  return csdl.types.flatMap((owner) =>
    navigationsOf(owner).filter((one) => !done.has(one)).map((forward) => {
      const target = csdl.types.find(({ name }) => qualified(name, csdl) === forward.type);
      const back = target && navigationsOf(target).find((one) =>
        one !== forward && one.name === forward.partner && one.type === qualified(owner.name, csdl)
      );
      if (back) done.add(back);
      return { name: `${owner.name}_${forward.name}`, owner, forward, back };
    })
  );
}

function navigationsOf({ members }: CsdlStructuredType): readonly CsdlNavigationProperty[] {
  return members.filter((member) => member.kind === "navigation");
}

function qualified(name: string, { namespace }: Csdl): string {
  return `${namespace}.${name}`;
}

function typeXml(type: CsdlStructuredType, csdl: Csdl, associations: readonly Association[]): XmlNode {
  const members = type.members.flatMap((member) => {
    if (member.kind === "navigation") return [navigationXml(member, csdl, associations)];
    return member.collection ? [] : [propertyXml(member, csdl)];
  });
  const key = type.key.map((Name) => element("PropertyRef", { Name }));
  return element(type.kind === "entity" ? "EntityType" : "ComplexType", {
    Name: type.name,
    BaseType: type.baseType,
    "m:HasStream": type.hasStream ? "true" : undefined,
  }, [...(key.length > 0 ? [element("Key", {}, key)] : []), ...members]);
}

function propertyXml(property: CsdlProperty, csdl: Csdl): XmlNode {
  const { name, defaultValue } = property;
  const DefaultValue = defaultValue === undefined ? undefined : String(defaultValue);
  return element("Property", { Name: name, ...facets(property, csdl), DefaultValue });
}

function facets(type: CsdlType, csdl: Csdl): Readonly<Record<string, string | number | undefined>> {
  const { maxLength, precision, scale, nullable } = type;
  return {
    Type: typeName(type.type, csdl),
    MaxLength: maxLength,
    Precision: type.type === "Edm.Date" ? 0 : precision,
    Scale: typeof scale === "number" ? scale : undefined,
    "sap:variable-scale": typeof scale === "string" ? "true" : undefined,
    "sap:display-format": type.type === "Edm.Date" ? "Date" : undefined,
    Nullable: nullable === false ? "false" : undefined,
  };
}

function typeName(name: string, csdl: Csdl): string {
  const enumType = csdl.enums.find((one) => qualified(one.name, csdl) === name);
  if (enumType) return enumType.underlyingType;
  return TYPES[name] ?? (/^Edm\.Geo/.test(name) ? "Edm.String" : name);
}

function navigationXml(
  member: CsdlNavigationProperty,
  csdl: Csdl,
  associations: readonly Association[],
): XmlNode {
  const { name, back } = associations.find(({ forward, back }) => forward === member || back === member)!;
  const roles = member === back ? ["target", "source"] : ["source", "target"];
  return element("NavigationProperty", {
    Name: member.name,
    Relationship: qualified(name, csdl),
    FromRole: roles[0],
    ToRole: roles[1],
  });
}

function associationXml({ name, owner, forward, back }: Association, csdl: Csdl): XmlNode {
  const cascade = (isPart = false) => isPart ? [element("OnDelete", { Action: "Cascade" })] : [];
  const source = { Role: "source", Type: qualified(owner.name, csdl) };
  const target = { Role: "target", Type: forward.type };
  // one side at most is to one by its own properties
  const constraint = constraintXml(forward, ["target", "source"]) ??
    (back && constraintXml(back, ["source", "target"]));
  return element("Association", { Name: name }, [
    element(
      "End",
      { ...source, Multiplicity: back ? multiplicity(back) : forward.collection ? "0..1" : "*" },
      cascade(forward.onDeleteCascade),
    ),
    element("End", { ...target, Multiplicity: multiplicity(forward) }, cascade(back?.onDeleteCascade)),
    ...(constraint ? [constraint] : []),
  ]);
}

function multiplicity({ collection, nullable }: CsdlNavigationProperty): string {
  if (collection) return "*";
  return nullable ? "0..1" : "1";
}

function constraintXml(
  { referentialConstraints }: CsdlNavigationProperty,
  [principal, dependent]: readonly [string, string],
): XmlNode | undefined {
  if (referentialConstraints.length === 0) return undefined;
  const side = (name: string, Role: string, at: 0 | 1) =>
    element(name, { Role }, referentialConstraints.map((pair) => element("PropertyRef", { Name: pair[at] })));
  return element("ReferentialConstraint", {}, [
    side("Principal", principal, 1),
    side("Dependent", dependent, 0),
  ]);
}

/** One for each set that the association leads from, and one for each that only its partner leads from. */
function associationSets({ name, owner, forward, back }: Association, csdl: Csdl): readonly XmlNode[] {
  const bound = (set: CsdlSet, { name }: CsdlNavigationProperty) =>
    set.bindings.find(([path]) => path === name)?.[1];
  const of = (type: string) => csdl.sets.filter((set) => set.type === type);
  const pairs = new Map<string, readonly [string, string]>();
  const add = (source: string, target: string | undefined) => {
    if (target !== undefined) pairs.set(`${source}/${target}`, [source, target]);
  };
  for (const set of of(qualified(owner.name, csdl))) add(set.name, bound(set, forward));
  for (const set of back ? of(forward.type) : []) {
    const source = bound(set, back!);
    if (source !== undefined) add(source, set.name);
  }
  return [...pairs.values()].map(([source, target], index) =>
    element("AssociationSet", { Name: numbered(name, index), Association: qualified(name, csdl) }, [
      element("End", { Role: "source", EntitySet: source }),
      element("End", { Role: "target", EntitySet: target }),
    ])
  );
}

function numbered(name: string, index: number): string {
  return index === 0 ? name : `${name}_${index + 1}`;
}

/** Bound operations are function imports, too: with the key of the entity in front of their parameters. */
function functionImports(csdl: Csdl): readonly XmlNode[] {
  const imports = csdl.operations.map((operation) => {
    const type = operation.bound ? operation.parameters[0]! : undefined;
    const entity = type && csdl.types.find(({ name }) => qualified(name, csdl) === type.type);
    const key = entity && !type.collection ? keyParameters(entity, csdl) : [];
    return functionImport(operation, { entity, key, csdl });
  });
  // overloads have one name
  return [...new Map(imports.toReversed().map((one) => [one.attributes.Name, one])).values()].reverse();
}

function keyParameters({ key, members }: CsdlStructuredType, csdl: Csdl): readonly XmlNode[] {
  return members.filter((member) => member.kind === "property" && key.includes(member.name))
    .map((member) => parameterXml(member as CsdlProperty, csdl)); // navigation properties are filtered out
}

function parameterXml(parameter: CsdlType & { readonly name: string }, csdl: Csdl): XmlNode {
  return element("Parameter", { Name: parameter.name, Mode: "In", ...facets(parameter, csdl) });
}

interface ImportParts {
  readonly entity: CsdlStructuredType | undefined;
  readonly key: readonly XmlNode[];
  readonly csdl: Csdl;
}

function functionImport(
  { kind, name, bound, parameters, returns }: CsdlOperation,
  { entity, key, csdl }: ImportParts,
): XmlNode {
  const own = parameters.slice(bound ? 1 : 0).filter(({ type, collection }) =>
    !collection && typeName(type, csdl).startsWith("Edm.")
  );
  const type = returns && typeName(returns.type, csdl);
  return element("FunctionImport", {
    Name: entity ? `${entity.name}_${name}` : name,
    ReturnType: returns?.collection ? `Collection(${type})` : type,
    EntitySet: csdl.sets.find((set) => set.type === type)?.name,
    "m:HttpMethod": kind === "action" ? "POST" : "GET",
    "sap:action-for": entity && qualified(entity.name, csdl),
  }, [...key, ...own.map((parameter) => parameterXml(parameter, csdl))]);
}
