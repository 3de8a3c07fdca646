/**
 * JSON Schema (2020-12) of the types of a model: what payloads of events look like.
 *
 * @module
 */

import type { LinkedBase, LinkedDefinition, LinkedElement, LinkedModel, ResolvedType } from "../linked.ts";

/** A schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas of named types by their full names, filled while schemas refer to them. */
export class SchemaCollection {
  /** The schemas. */
  readonly schemas: Record<string, JsonSchema> = {};
  readonly #model: LinkedModel;

  /** @param model the model of the types */
  constructor(model: LinkedModel) {
    this.#model = model;
  }

  /**
   * The schema of a definition with elements.
   *
   * @param definition an event, type or entity
   */
  ofDefinition(definition: LinkedDefinition): JsonSchema {
    const elements = [...definition.elements];
    if (elements.length === 0 && definition.$type.builtin !== undefined) {
      return this.#ofType(definition.$type);
    }
    return described(definition, this.#ofElements(elements));
  }

  /**
   * The schema of a value.
   *
   * @param element the element or parameter that holds it
   */
  ofElement(element: LinkedElement): JsonSchema {
    return this.#ofElement(element);
  }

  #ofElements(elements: readonly LinkedElement[]): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    for (const element of elements) properties[element.name] = this.#ofElement(element);
    const required = elements.filter(isRequired).map(({ name }) => name);
    return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
  }

  #ofElement(element: LinkedElement): JsonSchema {
    if (element.isAssociation) return this.#ofAssociation(element);
    const schema = this.#named(element.$type) ?? this.#ofType(element.$type);
    return described(element, isRequired(element) ? schema : nullable(schema));
  }

  /** A to-one association carries the keys of its target, a composition or collection whole rows. */
  #ofAssociation(element: LinkedElement): JsonSchema {
    const target = element.$target;
    if (!target) return {};
    const keys = [...target.keys].filter((key) => !key.isAssociation);
    const row = element.isComposition ? this.#reference(target) : this.#ofElements(keys);
    return described(element, element.is2many ? { type: "array", items: row } : nullable(row));
  }

  #named({ typeName }: ResolvedType): JsonSchema | undefined {
    const definition = typeName === undefined ? undefined : this.#model.definitions[typeName];
    return definition ? this.#reference(definition) : undefined;
  }

  #reference(definition: LinkedDefinition): JsonSchema {
    const { name } = definition;
    if (!Object.hasOwn(this.schemas, name)) {
      // stands there before it is made, as types may contain themselves
      this.schemas[name] = {};
      this.schemas[name] = [...definition.elements].length > 0
        ? this.ofDefinition(definition)
        : described(definition, this.#ofType(definition.$type));
    }
    return {
      $ref: `#/components/schemas/${encodeURIComponent(name.replace(/~/g, "~0").replace(/\//g, "~1"))}`,
    };
  }

  #ofType(type: ResolvedType): JsonSchema {
    if (type.items) return { type: "array", items: this.#ofElement(type.items) };
    if (type.elements) return this.#ofElements([...type.elements]);
    const symbols = Object.entries(type.enum ?? {});
    const values = symbols.map(([symbol, { val }]) => val ?? symbol);
    return { ...primitiveSchema(type), ...(values.length > 0 ? { enum: values } : {}) };
  }
}

const PATTERNS: Readonly<Record<string, JsonSchema>> = {
  "cds.UUID": { type: "string", format: "uuid" },
  "cds.Boolean": { type: "boolean" },
  "cds.UInt8": { type: "integer", minimum: 0, maximum: 255 },
  "cds.Int16": { type: "integer", minimum: -32768, maximum: 32767 },
  "cds.Int32": { type: "integer", format: "int32" },
  "cds.Integer": { type: "integer", format: "int32" },
  "cds.Int64": { type: "integer", format: "int64" },
  "cds.Integer64": { type: "integer", format: "int64" },
  "cds.Decimal": { type: "number" },
  "cds.DecimalFloat": { type: "number" },
  "cds.Double": { type: "number", format: "double" },
  "cds.Date": { type: "string", format: "date" },
  "cds.Time": { type: "string", format: "time" },
  "cds.DateTime": { type: "string", format: "date-time" },
  "cds.Timestamp": { type: "string", format: "date-time" },
  "cds.Binary": { type: "string", contentEncoding: "base64" },
  "cds.LargeBinary": { type: "string", contentEncoding: "base64" },
  "cds.Map": { type: "object" },
};

function primitiveSchema({ builtin, length }: ResolvedType): JsonSchema {
  if (builtin === undefined) return {};
  const known = Object.hasOwn(PATTERNS, builtin) ? PATTERNS[builtin] : { type: "string" };
  return known.type === "string" && length !== undefined && !known.format && !known.contentEncoding
    ? { ...known, maxLength: length }
    : known;
}

function isRequired(element: LinkedElement): boolean {
  return element.key === true || element.notNull === true || element["@mandatory"] === true;
}

function nullable(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema;
  if (typeof schema.type !== "string") return { anyOf: [schema, { type: "null" }] };
  const { enum: values } = schema;
  return {
    ...schema,
    type: [schema.type, "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}

/** Adds label and text of the model. */
function described(base: LinkedBase, schema: JsonSchema): JsonSchema {
  const { title, description } = annotationText(base);
  return { ...(title ? { title } : {}), ...(description ? { description } : {}), ...schema };
}

/** What people read. */
interface AnnotationText {
  /** `@title`, else `@Common.Label`. */
  readonly title?: string;
  /** `@description`, `@Core.Description`, else the doc comment. */
  readonly description?: string;
}

/**
 * Label and text; keys of text bundles (`{i18n>…}`) are left out.
 *
 * @param base definition or element
 */
export function annotationText(base: LinkedBase): AnnotationText {
  const of = (...names: readonly string[]) =>
    names.map((name) => (base as unknown as Readonly<Record<string, unknown>>)[name])
      .find((value): value is string => typeof value === "string" && value !== "" && !value.startsWith("{"));
  return {
    title: of("@title", "@Common.Label"),
    description: of("@description", "@Core.Description", "doc"),
  };
}
