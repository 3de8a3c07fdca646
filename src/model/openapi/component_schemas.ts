import type {
  Csdl,
  CsdlEnumType,
  CsdlProperty,
  CsdlStructuredType,
  CsdlTexts,
  CsdlType,
} from "../csdl/csdl.ts";
import type { JsonSchema } from "../schema/json_schema.ts";
import { edmName } from "../edm_types.ts";
import { isInsertOnly, isReadOnly } from "../exposure.ts";
import type { LinkedEntity, LinkedService } from "../linked.ts";
import { writeCsdlJson } from "../csdl/write_csdl_json.ts";

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
      const isGiven = isDemanded || use !== "read" && this.#isMandatory(target) ||
        member.kind === "navigation" && member.collection;
      properties[member.name] = {
        ...this.#annotations.described(target),
        ...this.ofType({ ...member, nullable: member.nullable && !isGiven }, use),
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
    if (this.#isMandatory(target)) return true;
    if (property.collection || property.defaultValue !== undefined) return false;
    if (key.includes(property.name)) {
      return this.#annotations.value(target, "Core.ComputedDefaultValue") !== true;
    }
    return property.nullable === false;
  }

  #isMandatory(target: string): boolean {
    return this.#annotations.value(target, "Common.FieldControl") === "Mandatory";
  }

  #constraints({ type, defaultValue }: CsdlProperty, target: string): JsonSchema {
    const pattern = this.#annotations.value(target, "Validation.Pattern");
    const minimum = this.#annotations.value(target, "Validation.Minimum");
    const maximum = this.#annotations.value(target, "Validation.Maximum");
    return {
      ...(defaultValue === undefined ? {} : { default: defaultValue }),
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

type Json = Readonly<Record<string, unknown>>;

/** Label and text of something. */
export interface Described {
  readonly title?: string;
  readonly description?: string;
}

/** What clients cannot do with an entity although no annotation says so. */
function deniedByExposure(entity: LinkedEntity): readonly string[] {
  if (isReadOnly(entity)) return ["InsertRestrictions", "UpdateRestrictions", "DeleteRestrictions"];
  if (isInsertOnly(entity)) return ["ReadRestrictions", "UpdateRestrictions", "DeleteRestrictions"];
  return [];
}

/** The annotations of a service by target and term. */
export class AnnotationIndex {
  readonly #targets: Readonly<Record<string, Json>>;
  readonly #denied: ReadonlyMap<string, readonly string[]>;

  /**
   * @param csdl the metadata
   * @param service the service it is made from
   * @param texts texts for `{i18n>key}`
   */
  constructor(csdl: Csdl, service: LinkedService, texts?: CsdlTexts) {
    this.#denied = new Map(
      [...service.entities].map((entity) =>
        [`${service.name}.EntityContainer/${edmName(entity)}`, deniedByExposure(entity)] as const
      ),
    );
    const schema = writeCsdlJson(csdl, texts)[csdl.namespace] as Json;
    this.#targets = (schema.$Annotations ?? {}) as Readonly<Record<string, Json>>;
  }

  /**
   * The value of a term.
   *
   * @param target qualified: `S.EntityContainer/Books`
   * @param term with vocabulary: `Core.Computed`
   * @returns undefined where the target does not have it
   */
  value(target: string, term: string): unknown {
    return Object.hasOwn(this.#targets, target) ? this.#targets[target]![`@${term}`] : undefined;
  }

  /**
   * Whether a capability is not denied (Capabilities vocabulary: what is not mentioned is supported).
   *
   * @param target the set
   * @param term `InsertRestrictions`
   * @param property `Insertable`; without, the term itself is a boolean
   */
  allows(target: string, term: string, property?: string): boolean {
    if (this.#denied.get(target)?.includes(term)) return false;
    const value = this.value(target, `Capabilities.${term}`);
    if (property === undefined) return value !== false;
    return typeof value !== "object" || value === null || (value as Json)[property] !== false;
  }

  /**
   * Label and description of a target; both missing where it has none.
   *
   * @param target qualified
   */
  described(target: string): Described {
    const title = this.value(target, "Common.Label");
    const description = this.value(target, "Core.LongDescription") ?? this.value(target, "Core.Description");
    return {
      ...(typeof title === "string" ? { title } : {}),
      ...(typeof description === "string" ? { description } : {}),
    };
  }
}
