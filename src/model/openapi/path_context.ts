/**
 * System query options as parameters (OData 4.01 Part 1, clause 11.2.5).
 *
 * @module
 */

import type { Csdl, CsdlParameter, CsdlProperty, CsdlStructuredType } from "../csdl/csdl.ts";
import type { JsonSchema } from "../schema/json_schema.ts";
import type { AnnotationIndex, ComponentSchemas } from "./component_schemas.ts";

/** What paths are made from. */
export interface PathContext {
  readonly csdl: Csdl;
  readonly annotations: AnnotationIndex;
  readonly schemas: ComponentSchemas;
  readonly style: WireStyle;
  /** The path items so far. */
  readonly paths: Record<string, Record<string, unknown>>;
  /** The ids of the operations so far. */
  readonly ids: Set<string>;
}

/** An operation object. */
export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  /** Schema of the body that is sent. */
  readonly body?: JsonSchema;
  /** Whether a body may be left out. */
  readonly bodyOptional?: boolean;
  /** Status of success. */
  readonly status: 200 | 201 | 204;
  readonly answer?: JsonSchema;
  /** Media type of the bodies; default JSON. */
  readonly mediaType?: string;
}

/**
 * Adds an operation under a path.
 *
 * @param context the document
 * @param path with templates: `/Books({ID})`
 * @param method in lower case
 * @param operation what it does
 */
export function addOperation(
  { paths, ids }: PathContext,
  [method, path]: readonly [method: string, path: string],
  operation: ApiOperation,
): void {
  const { body, bodyOptional, status, answer, mediaType = "application/json", ...rest } = operation;
  ids.add(operation.operationId);
  const contentOf = (schema: JsonSchema) => ({ content: { [mediaType]: { schema } } });
  (paths[path] ??= {})[method] = {
    ...rest,
    ...(body ? { requestBody: { required: !bodyOptional, ...contentOf(body) } } : {}),
    responses: {
      [status]: { description: "Success", ...(answer ? contentOf(answer) : {}) },
      "4XX": { $ref: "#/components/responses/error" },
    },
  };
}

/**
 * Adds what all operations of a path share.
 *
 * @param context the document
 * @param path the path; it has an operation
 * @param parameters its parameters
 */
export function addParameters(
  { paths }: PathContext,
  path: string,
  parameters: readonly Parameter[],
): void {
  const item = paths[path];
  if (item && parameters.length > 0) paths[path] = { parameters, ...item };
}

/**
 * The key properties of an entity type, those of its base type too.
 *
 * @param schemas the types
 * @param type the type
 */
export function keyProperties(schemas: ComponentSchemas, type: CsdlStructuredType): readonly CsdlProperty[] {
  const base = type.baseType === undefined ? undefined : schemas.structuredType(type.baseType);
  if (base) return keyProperties(schemas, base);
  return type.key.map((name) =>
    type.members.find((member): member is CsdlProperty => member.kind === "property" && member.name === name)
  ).filter((property) => property !== undefined);
}

/**
 * Parameters in the path for keys.
 *
 * @param context the document
 * @param owner qualified name of the type of the keys
 * @param keys the key properties
 */
export function keyParameters(
  { schemas, annotations }: PathContext,
  owner: string,
  keys: readonly CsdlProperty[],
): readonly Parameter[] {
  return keys.map((key) => {
    const { title, description = title } = annotations.described(`${owner}/${key.name}`);
    return {
      name: key.name,
      in: "path",
      required: true,
      description: `Key${description === undefined ? "" : `: ${description}`}`,
      schema: schemas.ofType(key),
    };
  });
}

/** The protocol of the document. */
export type ApiProtocol = "odata" | "rest";

/** What depends on the protocol. */
interface WireStyle {
  /** The key of an entity behind its set: `({ID})`, `/{ID}`. */
  key(keys: readonly CsdlProperty[]): string;
  /** Name of a bound operation in a path. */
  boundName(namespace: string, name: string): string;
  /** Arguments behind the name of a function, all in the path; undefined where they are query options. */
  args(parameters: readonly CsdlParameter[]): string | undefined;
  /** Body of a collection. */
  collection(items: JsonSchema): JsonSchema;
  /** Body of a single value that is no entity or structure. */
  value(schema: JsonSchema): JsonSchema;
}

const ODATA: WireStyle = {
  key: (keys) =>
    keys.length === 1
      ? `(${literal(keys[0]!)})`
      : `(${keys.map((key) => `${key.name}=${literal(key)}`).join(",")})`,
  boundName: (namespace, name) => `${namespace}.${name}`,
  args: (parameters) => `(${parameters.map((one) => `${one.name}=${literal(one)}`).join(",")})`,
  collection: (items) => ({
    type: "object",
    properties: {
      "@odata.count": { type: "integer", minimum: 0 },
      "@odata.nextLink": { type: "string", format: "uri-reference" },
      value: { type: "array", items },
    },
    required: ["value"],
  }),
  value: (schema) => ({ type: "object", properties: { value: schema }, required: ["value"] }),
};

const REST: WireStyle = {
  key: (keys) => keys.map(({ name }) => `/{${name}}`).join(""),
  boundName: (_namespace, name) => name,
  args: () => undefined,
  collection: (items) => {
    const rows = { type: "array", items };
    const counted = {
      type: "object",
      properties: { count: { type: "integer", minimum: 0 }, value: rows },
      required: ["count", "value"],
    };
    return { anyOf: [rows, counted] };
  },
  value: (schema) => schema,
};

/** The style of each protocol. */
export const WIRE_STYLES: Readonly<Record<ApiProtocol, WireStyle>> = { odata: ODATA, rest: REST };

const UNQUOTED = /^Edm\.(?!String$|Duration$|Binary$)/;

/** The literal of a value in a path (Part 2, clause 4.3.1): texts and enumerations are quoted. */
function literal({ name, type }: CsdlProperty | CsdlParameter): string {
  if (UNQUOTED.test(type)) return `{${name}}`;
  const prefix = type === "Edm.Duration" ? "duration" : type === "Edm.Binary" ? "binary" : "";
  return `${prefix}'{${name}}'`;
}

/** A parameter object of OpenAPI, or a reference to one. */
export type Parameter = Readonly<Record<string, unknown>>;

/** Parameters that every collection shares (`components/parameters`). */
export const SHARED_PARAMETERS: Readonly<Record<string, Parameter>> = {
  top: option("$top", "Show only the first n items", { type: "integer", minimum: 0 }),
  skip: option("$skip", "Skip the first n items", { type: "integer", minimum: 0 }),
  count: option("$count", "Include the number of all items", { type: "boolean" }),
  search: option("$search", "Items that match the words", { type: "string" }),
  filter: option("$filter", "Items for which the condition holds", { type: "string" }),
};

/**
 * The options of a collection of entities.
 *
 * @param set qualified name of the annotated set: `S.EntityContainer/Books`
 * @param type its entity type
 * @param annotations restrictions
 */
export function collectionParameters(
  set: string,
  type: CsdlStructuredType,
  annotations: AnnotationIndex,
): readonly Parameter[] {
  const allows = (term: string, property?: string) => annotations.allows(set, term, property);
  const names = [
    allows("TopSupported") && "top",
    allows("SkipSupported") && "skip",
    allows("SearchRestrictions", "Searchable") && "search",
    allows("FilterRestrictions", "Filterable") && "filter",
    allows("CountRestrictions", "Countable") && "count",
  ].filter((name) => name !== false);
  const shared = names.map((name): Parameter => ({ $ref: `#/components/parameters/${name}` }));
  const orderby = type.members.filter(({ kind }) => kind === "property")
    .flatMap(({ name }) => [name, `${name} desc`]);
  return [
    ...shared,
    ...(allows("SortRestrictions", "Sortable")
      ? [list("$orderby", "Order items by these values", orderby)]
      : []),
    ...entityParameters(set, type, annotations),
  ];
}

/**
 * The options of a single entity.
 *
 * @param set qualified name of the annotated set
 * @param type its entity type
 * @param annotations restrictions
 */
export function entityParameters(
  set: string,
  type: CsdlStructuredType,
  annotations: AnnotationIndex,
): readonly Parameter[] {
  const namesOf = (kind: string) => type.members.filter((one) => one.kind === kind).map(({ name }) => name);
  const navigation = namesOf("navigation");
  return [
    ...(annotations.allows(set, "SelectSupport", "Supported")
      ? [list("$select", "Show only these properties", namesOf("property"))]
      : []),
    ...(navigation.length > 0 && annotations.allows(set, "ExpandRestrictions", "Expandable")
      ? [list("$expand", "Show related entities", ["*", ...navigation])]
      : []),
  ];
}

function option(name: string, description: string, schema: object): Parameter {
  return { name, in: "query", description, schema };
}

/** Names separated by commas; the known ones are proposed, paths and expressions are possible. */
function list(name: string, description: string, known: readonly string[]): Parameter {
  const items = { anyOf: [{ type: "string", enum: known }, { type: "string" }] };
  return {
    name,
    in: "query",
    description,
    explode: false,
    schema: { type: "array", uniqueItems: true, items },
  };
}
