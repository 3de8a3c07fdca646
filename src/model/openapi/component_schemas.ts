/**
 * Schemas of the types of a service: what is read, what creates, what changes (OpenAPI 3.1, `components/schemas`).
 *
 * @module
 */

import type { Csdl, CsdlEnumType, CsdlProperty, CsdlStructuredType, CsdlType } from "../csdl/csdl.ts";
import type { JsonSchema } from "../schema/json_schema.ts";
import type { AnnotationIndex } from "./annotation_index.ts";

/** What a payload is for. */
export type SchemaUse = "read" | "create" | "update";

/** The schemas of a service. */
export class ComponentSchemas {
  readonly #csdl: Csdl;
  readonly #annotations: AnnotationIndex;
  readonly #referred: Record<string, JsonSchema> = {};
  readonly #types: ReadonlyMap<string, CsdlStructuredType>;

  /**
   * @param csdl the metadata of the service
   * @param annotations its annotations
   */
  constructor(csdl: Csdl, annotations: AnnotationIndex) {
    this.#csdl = csdl;
    this.#annotations = annotations;
    this.#types = new Map(csdl.types.map((type) => [`${csdl.namespace}.${type.name}`, type]));
  }

  /**
   * A structured type by its qualified name.
   *
   * @param name `S.Books`
   */
  structuredType(name: string): CsdlStructuredType | undefined {
    return this.#types.get(name);
  }

  /** The schemas referred to so far by the names that references use. */
  get referred(): Readonly<Record<string, JsonSchema>> {
    return this.#referred;
  }

  /**
   * The schema of a value of any type, with null where it may be missing.
   *
   * @param type the type, with facets
   * @param use what the payload is for
   */
  ofType(type: CsdlType, use: SchemaUse = "read"): JsonSchema {
    const single = this.#single(type, use);
    if (type.collection) return { type: "array", items: type.nullable ? nullable(single) : single };
    return type.nullable ? nullable(single) : single;
  }

  #single(type: CsdlType, use: SchemaUse): JsonSchema {
    const local = this.#localName(type.type);
    if (local === undefined) return primitiveSchema(type);
    const isEntity = this.#types.get(type.type)?.kind === "entity";
    return this.#reference(local, isEntity ? use : "read");
  }

  #localName(type: string): string | undefined {
    const prefix = `${this.#csdl.namespace}.`;
    return type.startsWith(prefix) ? type.slice(prefix.length) : undefined;
  }

  #reference(local: string, use: SchemaUse): JsonSchema {
    const name = componentName(`${this.#csdl.namespace}.${local}`) + (use === "read" ? "" : `-${use}`);
    if (!Object.hasOwn(this.#referred, name)) {
      this.#referred[name] = {}; // stands there before it is made, as types may contain themselves
      this.#referred[name] = this.#definition(local, use);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #definition(local: string, use: SchemaUse): JsonSchema {
    const structured = this.#types.get(`${this.#csdl.namespace}.${local}`);
    if (structured) return this.#structured(structured, use);
    const enumeration = this.#csdl.enums.find(({ name }) => name === local);
    return enumeration ? enumSchema(enumeration) : {};
  }

  #structured(type: CsdlStructuredType, use: SchemaUse): JsonSchema {
    const qualified = `${this.#csdl.namespace}.${type.name}`;
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const member of type.members) {
      const target = `${qualified}/${member.name}`;
      if (!this.#isPart(type, member, { use, target })) continue;
      const isDemanded = use === "create" && member.kind === "property" &&
        this.#isDemanded(type, member, target);
      if (isDemanded) required.push(member.name);
      const nullable = member.nullable && !isDemanded && !(member.kind === "navigation" && member.collection);
      properties[member.name] = {
        ...this.#annotations.described(target),
        ...this.ofType({ ...member, nullable }, use),
        ...(member.kind === "property" ? this.#constraints(member, target) : {}),
      };
    }
    const own: JsonSchema = {
      ...this.#annotations.described(qualified),
      type: "object",
      properties,
      ...(required.length > 0 ? { required } : {}),
      ...(type.open ? { additionalProperties: true } : {}),
    };
    const base = type.baseType === undefined ? undefined : this.#localName(type.baseType);
    return base === undefined ? own : { allOf: [this.#reference(base, use), own] };
  }

  /** Clients do not send what the server computes, and only parts of an entity are written with it. */
  #isPart(
    { key }: CsdlStructuredType,
    member: CsdlStructuredType["members"][number],
    { use, target }: { readonly use: SchemaUse; readonly target: string },
  ): boolean {
    if (use === "read") return true;
    if (member.kind === "navigation") return member.onDeleteCascade || member.containsTarget === true;
    if (this.#annotations.value(target, "Core.Computed") === true) return false;
    return use === "create" ||
      !key.includes(member.name) && this.#annotations.value(target, "Core.Immutable") !== true;
  }

  #isDemanded({ key, members }: CsdlStructuredType, property: CsdlProperty, target: string): boolean {
    if (members.some((member) => refersBy(member, property))) return false;
    if (this.#annotations.value(target, "Common.FieldControl") === "Mandatory") return true;
    if (property.collection || property.defaultValue !== undefined) return false;
    if (key.includes(property.name)) {
      return this.#annotations.value(target, "Core.ComputedDefaultValue") !== true;
    }
    return property.nullable === false;
  }

  #constraints({ type, defaultValue }: CsdlProperty, target: string): JsonSchema {
    const pattern = this.#annotations.value(target, "Validation.Pattern");
    const minimum = this.#annotations.value(target, "Validation.Minimum");
    const maximum = this.#annotations.value(target, "Validation.Maximum");
    return {
      ...(defaultValue === undefined || this.#localName(type) !== undefined ? {} : { default: defaultValue }),
      ...(typeof pattern === "string" && type === "Edm.String" ? { pattern } : {}),
      ...this.#bound("minimum", "exclusiveMinimum", { value: minimum, target, term: "Validation.Minimum" }),
      ...this.#bound("maximum", "exclusiveMaximum", { value: maximum, target, term: "Validation.Maximum" }),
    };
  }

  #bound(
    inclusive: string,
    exclusive: string,
    { value, target, term }: { readonly value: unknown; readonly target: string; readonly term: string },
  ): JsonSchema {
    if (typeof value !== "number") return {};
    const isExclusive = this.#annotations.value(target, `${term}@Validation.Exclusive`) === true;
    return { [isExclusive ? exclusive : inclusive]: value };
  }
}

/**
 * A name as OpenAPI allows it for components: characters beyond letters, digits, `.`, `_`, `-` by their code.
 *
 * @param name any name
 */
function componentName(name: string): string {
  return name.replace(/[^\w.-]/gu, (character) => `_u${character.codePointAt(0)!.toString(16)}_`);
}

/** Whether a property refers to another entity: it may come with a nested one, or from the URL. */
function refersBy(member: CsdlStructuredType["members"][number], { name }: CsdlProperty): boolean {
  return member.kind === "navigation" && member.referentialConstraints.some(([own]) => own === name);
}

function enumSchema({ members, flags }: CsdlEnumType): JsonSchema {
  const names = members.map(([name]) => name);
  return flags
    ? { type: "string", description: `One or more of ${names.join(", ")}, separated by commas` }
    : { type: "string", enum: names };
}

/** A schema that also takes null. */
function nullable(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema;
  if (schema.type === undefined) return { anyOf: [schema, { type: "null" }] };
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return { ...schema, type: [...types, "null"] };
}

const INTEGER_BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  "Edm.Byte": [0, 255],
  "Edm.SByte": [-128, 127],
  "Edm.Int16": [-32768, 32767],
};

/** Days, hours, minutes, seconds (CSDL 4.01, clause 3.3): signs and fractions, which the format `duration` lacks. */
const DURATION = "^-?P(\\d+D)?(T(\\d+H)?(\\d+M)?(\\d+(\\.\\d{1,12})?S)?)?$";

const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  "Edm.Boolean": { type: "boolean" },
  "Edm.Int32": { type: "integer", format: "int32" },
  "Edm.Int64": { type: ["integer", "string"], format: "int64" },
  "Edm.Decimal": { type: ["number", "string"], format: "decimal" },
  "Edm.Double": { type: ["number", "string"], format: "double" },
  "Edm.Single": { type: ["number", "string"], format: "float" },
  "Edm.Guid": { type: "string", format: "uuid" },
  "Edm.Date": { type: "string", format: "date" },
  "Edm.TimeOfDay": { type: "string", pattern: "^\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,12})?)?$" },
  "Edm.DateTimeOffset": { type: "string", format: "date-time" },
  "Edm.Duration": { type: "string", pattern: DURATION },
  "Edm.Binary": { type: "string", contentEncoding: "base64url" },
  "Edm.Stream": { type: "string", contentEncoding: "base64url" },
};

/**
 * The schema of one value of a primitive type, without regard to null.
 *
 * @param type its name, `Edm.String` for example, and its facets
 * @returns an empty schema for types that may be anything
 */
function primitiveSchema({ type, maxLength }: CsdlType): JsonSchema {
  if (type === "Edm.String") return { type: "string", ...(maxLength === undefined ? {} : { maxLength }) };
  if (/^Edm\.Geo(graphy|metry)/.test(type)) return { type: "object", description: "GeoJSON" };
  const bounds = INTEGER_BOUNDS[type];
  if (bounds) return { type: "integer", minimum: bounds[0], maximum: bounds[1] };
  return SCHEMAS[type] ?? {};
}
