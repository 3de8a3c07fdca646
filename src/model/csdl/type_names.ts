/**
 * Types of properties, parameters and results: primitive types, and complex types that are collected on the way.
 *
 * @module
 */

import { EDM_TYPES, edmLocalTypeName, edmType, edmTypeName } from "../edm_types.ts";
import type { LinkedElement, LinkedElements, LinkedEntity, LinkedModel, LinkedService } from "../linked.ts";
import type {
  CsdlEnumType,
  CsdlNavigationProperty,
  CsdlProperty,
  CsdlStructuredType,
  CsdlType,
} from "./csdl.ts";

/** Gives types their names and collects the complex types in use. */
export class TypeNames {
  readonly #service: LinkedService;
  readonly #model: LinkedModel;
  readonly #enums = new Map<string, CsdlEnumType>();
  readonly #complex = new Map<string, CsdlStructuredType | undefined>();

  /**
   * @param service the service that is described
   * @param model its model
   */
  constructor(service: LinkedService, model: LinkedModel) {
    this.#service = service;
    this.#model = model;
  }

  /** The complex types that types referred to so far. */
  get complexTypes(): readonly CsdlStructuredType[] {
    return [...this.#complex.values()].filter((type) => type !== undefined);
  }

  /** The enumerations that types referred to so far. */
  get enumTypes(): readonly CsdlEnumType[] {
    return [...this.#enums.values()];
  }

  /** The qualified name of a type of the service. */
  qualified(name: string): string {
    return `${this.#service.name}.${name}`;
  }

  /**
   * The type of an element, parameter or result.
   *
   * @param element the element
   * @param anonymous name for its type if it is a structure without name
   */
  typeOf(element: LinkedElement, anonymous: string): CsdlType {
    const { items } = element.$type;
    if (items && !edmType(element)) {
      const { type, ...facets } = this.typeOf(items, this.#named(element) ? edmLocal(element) : anonymous);
      const entity = this.#entityOf(items);
      return { ...facets, type, collection: true, nullable: entity ? undefined : element.notNull !== true };
    }
    const { extended } = element.$type;
    if (extended === "enum" || extended === "flags") {
      return { type: this.#enumType(element, anonymous), nullable: !isNotNull(element) };
    }
    const primitive = edmType(element);
    if (primitive) return { ...primitive, nullable: !isNotNull(element) };
    const entity = this.#entityOf(element);
    const type = entity ? this.qualified(edmTypeName(entity)) : this.#complexType(element, anonymous);
    return { type, nullable: !isNotNull(element) };
  }

  /** The entity that an element, parameter or result has as its type, if the service has it. */
  #entityOf(element: LinkedElement): LinkedEntity | undefined {
    const { type } = element;
    const entity = typeof type === "string" ? this.#model.entity(type) : undefined;
    return entity?.$service === this.#service ? entity : undefined;
  }

  #named(element: LinkedElement): boolean {
    return element.$type.typeName !== undefined;
  }

  #enumType(element: LinkedElement, anonymous: string): string {
    const { typeName, builtin = "", enum: members = {}, extended } = element.$type;
    const name = typeName === undefined ? anonymous : this.#localName(typeName);
    if (!this.#enums.has(name)) {
      this.#enums.set(name, {
        name,
        underlyingType: EDM_TYPES.get(builtin) ?? "Edm.Int32",
        flags: extended === "flags",
        members: Object.entries(members).flatMap(([member, { val }]): [string, number][] =>
          typeof val === "number" ? [[member, val]] : []
        ),
      });
    }
    return this.qualified(name);
  }

  #complexType(element: LinkedElement, anonymous: string): string {
    const { typeName, elements, builtin } = element.$type;
    const name = typeName === undefined ? anonymous : this.#localName(typeName);
    if (!this.#complex.has(name)) {
      this.#complex.set(name, undefined); // the place in the order; types may refer to themselves
      this.#complex.set(name, {
        kind: "complex",
        name,
        key: [],
        open: builtin === "cds.Map" || element["@open"] === true,
        members: elements ? this.#members(elements, name) : [],
      });
    }
    return this.qualified(name);
  }

  #localName(typeName: string): string {
    return edmLocalTypeName(typeName, this.#service.name);
  }

  /** Complex types stay nested; associations are left out but for their foreign keys. */
  #members(elements: LinkedElements, owner: string): (CsdlProperty | CsdlNavigationProperty)[] {
    const members: CsdlProperty[] = [];
    for (const element of elements) {
      if (element["@cds.api.ignore"] === true) continue;
      if (!element.isAssociation) {
        members.push({
          kind: "property",
          name: element.name,
          ...this.typeOf(element, `${owner}_${element.name}`),
        });
        continue;
      }
      for (const key of element.$foreignKeys ?? []) {
        const type = this.typeOf(key.element.element, `${owner}_${key.name}`);
        const name = `${element.name}${key.name.slice(key.element.foreignKey4?.length)}`;
        members.push({ kind: "property", name, ...type, nullable: !key.element.notNull });
      }
    }
    return members;
  }

  /** Makes sure that a structured type of the service is described even if nothing refers to it. */
  addType(name: string): void {
    const definition = this.#model.definitions[name] as unknown as LinkedElement; // has all that is looked at
    const { elements, extended } = definition.$type;
    if (extended === "enum" || extended === "flags") this.#enumType(definition, this.#localName(name));
    if (elements) this.#complexType(definition, this.#localName(name));
  }
}

function edmLocal(element: LinkedElement): string {
  return (element.$type.typeName ?? element.name).replaceAll(".", "_");
}

function isNotNull(element: LinkedElement): boolean {
  return element.notNull === true || element.key === true;
}
