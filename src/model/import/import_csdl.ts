/**
 * The metadata of a service as model, so that it can be called, projected and typed.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { Csn, CsnDefinition, CsnElement } from "../csn.ts";
import { type CsdlDefinition, CsdlDocument, type CsdlObject, kindOf, membersOf } from "./csdl_document.ts";
import {
  importedAnnotations,
  importedProperty,
  importOperations,
  type ImportScope,
} from "./imported_definitions.ts";
import type { Xo } from "../../cqn/cqn.ts";
import { unqualified } from "../../util/unqualified.ts";

/** How a service is imported. */
export interface ImportOptions {
  /** Name of the service in the model; default: the namespace of the entity container. */
  readonly name?: string;
}

/** The marks of what is defined elsewhere. */
const EXTERNAL = { "@cds.external": true } as const;

/**
 * Reads a metadata document as CSDL JSON.
 *
 * @param document the parsed document, CSDL JSON 4.0 or 4.01
 * @param options name of the service
 * @returns a model with the service, `@cds.external`, its entities (one for each entity set and singleton), types,
 *   actions and functions with their annotations; entities have no tables
 * @throws ConfigurationError for what is no metadata document of a service
 */
export function importCsdl(document: unknown, { name }: ImportOptions = {}): Csn {
  const csdl = new CsdlDocument(document);
  const namespace = csdl.container?.slice(0, csdl.container.lastIndexOf(".")) ?? csdl.namespaces[0];
  if (namespace === undefined) throw new ConfigurationError("The metadata document has no schema");
  return new Importer(csdl, serviceName(name ?? namespace)).import();
}

/** Names of files are made of it, and the document may come from anywhere. */
function serviceName(name: string): string {
  if (/^[\p{ID_Start}_][\p{ID_Continue}]*(?:\.[\p{ID_Start}_][\p{ID_Continue}]*)*$/u.test(name)) return name;
  throw new ConfigurationError(
    `"${name}" is no name of a service: expected letters, digits and "_", in parts with "." between them`,
  );
}

/** The state of reading one document. */
class Importer implements ImportScope {
  /** The document. */
  readonly csdl: CsdlDocument;
  /** Name of the service. */
  readonly service: string;
  /** Names in the model by qualified names of types; an entity type has that of the first set of it. */
  readonly #names: Map<string, string> = new Map();
  /** Members of the container: sets, singletons, imports. */
  readonly members: readonly (readonly [string, CsdlObject])[];
  readonly #definitions: Record<string, CsnDefinition> = {};

  /**
   * @param csdl the document
   * @param service name of the service
   */
  constructor(csdl: CsdlDocument, service: string) {
    this.csdl = csdl;
    this.service = service;
    const container = csdl.container === undefined ? undefined : csdl.definitions.get(csdl.container);
    this.members = container ? this.#containerMembers(container) : [];
  }

  /** Reads the document. */
  import(): Csn {
    const annotations = this.csdl.annotationsOf(this.csdl.container ?? "");
    this.#definitions[this.service] = { kind: "service", ...EXTERNAL, ...importedAnnotations(annotations) };
    const sets = this.members.filter(([, { $Type }]) => typeof $Type === "string");
    this.#nameTypes(sets);
    for (const definition of this.csdl.definitions.values()) this.#type(definition);
    for (const [name, set] of sets) this.#entity(`${this.service}.${name}`, String(set.$Type), [name, set]);
    for (const [type, name] of this.#names) {
      if (!Object.hasOwn(this.#definitions, name)) this.#entity(name, type);
    }
    importOperations(this, this.#definitions);
    return { definitions: this.#definitions };
  }

  /** The members of a structured type by name, those of its base types too. */
  membersOfType(qualified: string): ReadonlyMap<string, CsdlObject> {
    const value = this.csdl.definitions.get(qualified)?.value as CsdlObject | undefined;
    if (!value) return new Map();
    const { $BaseType: base } = value;
    const inherited = typeof base === "string" ? this.membersOfType(this.csdl.qualify(base)) : [];
    return new Map([...inherited, ...membersOf(value)]);
  }

  /** The name in the model of a type of the document; types of other documents keep theirs, and have no elements. */
  nameOf = (qualified: string): string => {
    const name = this.csdl.qualify(qualified);
    if (this.csdl.definitions.has(name)) {
      return this.#names.get(name)!;
    }
    this.#definitions[name] ??= { kind: "entity", ...EXTERNAL, "@cds.persistence.skip": true, elements: {} };
    return name;
  };

  /** Types of several schemas may have the same name. */
  #nameTypes(sets: readonly (readonly [string, CsdlObject])[]): void {
    const taken = new Set(sets.map(([name]) => name));
    for (const [name, { $Type }] of sets) {
      const type = this.csdl.qualify(String($Type));
      if (this.#names.has(type)) continue;
      this.#names.set(type, `${this.service}.${name}`);
      if (this.#namesType(name, type)) taken.add(unqualified(type));
    }
    for (const { qualified, name, namespace, value } of this.csdl.definitions.values()) {
      if (!TYPES.has(kindOf(value)) || this.#names.has(qualified)) continue;
      const local = taken.has(name) ? `${namespace.replaceAll(".", "_")}_${name}` : name;
      taken.add(local);
      this.#names.set(qualified, `${this.service}.${local}`);
    }
  }

  #containerMembers({ value }: CsdlDefinition): readonly (readonly [string, CsdlObject])[] {
    const { $Extends } = value as CsdlObject;
    const base = typeof $Extends === "string"
      ? this.csdl.definitions.get(this.csdl.qualify($Extends))
      : undefined;
    return [...base ? this.#containerMembers(base) : [], ...membersOf(value as CsdlObject)];
  }

  #type({ qualified, value }: CsdlDefinition): void {
    const object = value as CsdlObject;
    const annotations = importedAnnotations(this.csdl.annotationsOf(qualified, object));
    const name = this.nameOf(qualified);
    switch (kindOf(value)) {
      case "ComplexType":
        this.#definitions[name] = {
          kind: "type",
          ...EXTERNAL,
          "@odata.nested": true,
          ...(object.$OpenType === true ? { "@open": true } : {}),
          ...annotations,
          elements: this.#elements(qualified),
        };
        break;
      case "EnumType":
        this.#definitions[name] = { kind: "type", ...EXTERNAL, ...annotations, ...enumeration(object) };
        break;
      case "TypeDefinition": {
        const { $UnderlyingType: $Type, ...facets } = object;
        const { notNull: _none, ...type } = importedProperty({ ...facets, $Type }, {}, this.nameOf);
        this.#definitions[name] = { kind: "type", ...EXTERNAL, ...annotations, ...type };
      }
    }
  }

  #entity(name: string, type: string, [set, member]: readonly [string?, CsdlObject?] = []): void {
    const qualified = this.csdl.qualify(type);
    const definition = this.csdl.definitions.get(qualified);
    if (!definition) throw new ConfigurationError(`The metadata document has no type "${type}"`);
    const own = this.csdl.annotationsOf(qualified, definition.value as CsdlObject);
    const ofSet = set === undefined ? {} : this.csdl.annotationsOf(`${this.csdl.container}/${set}`, member);
    this.#definitions[name] = {
      kind: "entity",
      ...EXTERNAL,
      "@cds.persistence.skip": true,
      ...(member && member.$Collection !== true ? { "@odata.singleton": true } : {}),
      ...(set !== undefined && this.#namesType(set, qualified) ? { "@odata.typeName": definition.name } : {}),
      ...((definition.value as CsdlObject).$OpenType === true ? { "@open": true } : {}),
      ...importedAnnotations({ ...own, ...ofSet }),
      elements: this.#elements(qualified, (member?.$NavigationPropertyBinding ?? {}) as CsdlObject),
    };
  }

  /** One set has the name of the type for its entities, unless another set has it; further sets have types of their own. */
  #namesType(set: string, type: string): boolean {
    const local = unqualified(type);
    return local !== set && this.#names.get(type) === `${this.service}.${set}` &&
      !this.members.some(([member]) => member === local);
  }

  /** Own elements of a type behind those of its base type. */
  #elements(qualified: string, bindings: CsdlObject = {}): Readonly<Record<string, CsnElement>> {
    const { value } = this.csdl.definitions.get(qualified)!;
    const object = value as CsdlObject;
    const base = typeof object.$BaseType === "string" ? this.csdl.qualify(object.$BaseType) : undefined;
    const keys = new Set((object.$Key as readonly unknown[] | undefined ?? []).map(String));
    const elements: Record<string, CsnElement> = base && this.csdl.definitions.has(base)
      ? { ...this.#elements(base, bindings) }
      : {};
    for (const [name, member] of membersOf(object)) {
      const annotations = this.csdl.annotationsOf(`${qualified}/${name}`, member);
      if (member.$Kind === "NavigationProperty") {
        elements[name] = {
          ...importedNavigation(name, member, { importer: this, owner: qualified, bindings }),
          ...importedAnnotations(annotations),
        };
        continue;
      }
      const { notNull, ...element } = importedProperty(member, annotations, this.nameOf);
      if (keys.has(name)) elements[name] = { key: true, ...givenKey(element) };
      else elements[name] = notNull ? { ...element, notNull } : element;
    }
    return elements;
  }
}

const TYPES: ReadonlySet<unknown> = new Set(["EntityType", "ComplexType", "EnumType", "TypeDefinition"]);

/** Null says that clients give the key: UUIDs would be generated otherwise. */
function givenKey(key: CsnElement): CsnElement {
  const term = "@Core.ComputedDefaultValue";
  return key.type === "cds.UUID" && key[term] === undefined ? { ...key, [term]: null } : key;
}

function enumeration(type: CsdlObject): CsnElement {
  const members = Object.entries(type).filter(([name, value]) =>
    typeof value === "number" && !/[$@]/.test(name)
  );
  return {
    type: "cds.Integer",
    enum: Object.fromEntries(members.map(([name, value]) => [name, { val: value as number }])),
    "@odata.enum": type.$IsFlags === true ? { "#": "flags" } : true,
  };
}

/** Where a navigation property stands. */
interface NavigationOwner {
  readonly importer: ImportScope;
  /** Qualified name of the type it belongs to. */
  readonly owner: string;
  /** The navigation bindings of the set. */
  readonly bindings: CsdlObject;
}

/**
 * A navigation property as association or composition. Its condition is that of its referential constraints, or of those
 * of its partner; without, there is none, and only the service knows what it leads to.
 *
 * @param name its name
 * @param member the property
 * @param place where it stands
 */
function importedNavigation(name: string, member: CsdlObject, place: NavigationOwner): CsnElement {
  const { importer, bindings } = place;
  const type = importer.csdl.qualify(String(member.$Type));
  const bound = bindings[name];
  const set = typeof bound === "string" ? bound.slice(bound.lastIndexOf("/") + 1) : undefined;
  const isSet = importer.members.some(([known]) => known === set);
  const isMany = member.$Collection === true;
  const isPart = member.$ContainsTarget === true || member.$OnDelete !== undefined;
  const on = conditionOf(name, member, place);
  return {
    type: isPart ? "cds.Composition" : "cds.Association",
    target: isSet ? `${importer.service}.${set}` : importer.nameOf(type),
    ...(isMany ? { cardinality: { max: "*" as const } } : {}),
    ...(on ? { on } : { keys: [] }),
    ...(!isMany && member.$Nullable !== true ? { notNull: true } : {}),
  };
}

function conditionOf(
  name: string,
  member: CsdlObject,
  { importer, owner }: NavigationOwner,
): readonly Xo[] | undefined {
  const type = importer.csdl.qualify(String(member.$Type));
  const own = constraintsOf(member, importer, [owner, type]);
  if (own.length > 0) {
    return joined(
      own.map(([dependent, principal]) => [{ ref: [name, principal] }, "=", { ref: [dependent] }]),
    );
  }
  const { $Partner: partner } = member;
  const back = typeof partner === "string" ? importer.membersOfType(type).get(partner) : undefined;
  if (!back || back.$Collection === true || constraintsOf(back, importer, [type, owner]).length === 0) {
    return undefined;
  }
  return [{ ref: [name, String(partner)] }, "=", { ref: ["$self"] }];
}

/** Pairs of dependent and principal property; those that name no properties of the two types are left out. */
function constraintsOf(
  { $ReferentialConstraint }: CsdlObject,
  importer: ImportScope,
  [dependent, principal]: readonly [string, string],
): readonly (readonly [string, string])[] {
  const own = importer.membersOfType(dependent);
  const others = importer.membersOfType(principal);
  return Object.entries($ReferentialConstraint ?? {}).map(([name, other]) => [name, String(other)] as const)
    .filter(([name, other]) => own.has(name) && others.has(other));
}

function joined(conditions: readonly (readonly Xo[])[]): readonly Xo[] {
  return conditions.flatMap((condition, index) => index === 0 ? condition : ["and", ...condition]);
}
