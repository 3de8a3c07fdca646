/**
 * The tools of a service: what they take, and the requests of OData that calls of them stand for. So nobody reaches more by
 * them than by OData.
 *
 * @module
 */

import { edmName, edmOperationName } from "../model/edm_types.ts";
import { hasParameters } from "../model/runtime_view.ts";
import type { LinkedEntity, LinkedModel, LinkedOperation, LinkedService } from "../model/linked.ts";
import { annotationText, type JsonSchema, SchemaCollection } from "../model/schema/json_schema.ts";
import { exposedEntities, isSet, isSingleton } from "../model/service_document.ts";
import { keyPredicate } from "../odata/payload/key_predicate.ts";
import { nearestName } from "../util/nearest_name.ts";
import { unqualified } from "../util/unqualified.ts";
import { keyNames } from "../model/keys.ts";

/** Arguments of a call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A request below the root of the service. */
export interface ToolRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly body?: string;
}

/** A tool that stands for requests. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Whether it changes nothing. */
  readonly isReadOnly: boolean;
  /**
   * The request that a call stands for.
   *
   * @throws InvalidArguments
   */
  toRequest(args: Arguments): ToolRequest;
}

/** Arguments that do not fit the tool. */
export class InvalidArguments extends Error {}

/** The tool that says what there is. */
export const DESCRIBE = "describe_model";
const READ = "read";

/**
 * The entities of a service that tools read: those with a set or singleton.
 *
 * @param service the service
 */
export function readableEntities(service: LinkedService): readonly LinkedEntity[] {
  return exposedEntities(service).filter((entity) => isSet(entity) && !hasParameters(entity));
}

/**
 * The tools of a service beside `describe_model`: `read`, and one for each operation.
 *
 * @param service the service
 * @param model its model
 */
export function toolsOf(service: LinkedService, model: LinkedModel): readonly Tool[] {
  const tools = new Map<string, Tool>();
  const add = (tool: Tool) => {
    // overloads are told apart by their parameters, tools by their names only
    if (!tools.has(tool.name)) tools.set(tool.name, tool);
  };
  add(readTool(service));
  const isVisible = (operation: LinkedOperation) => operation["@cds.api.ignore"] !== true;
  for (const operation of service.operations) {
    if (isVisible(operation)) add(operationTool(operation, service, model));
  }
  for (const entity of readableEntities(service)) {
    for (const operation of entity.actions) {
      if (isVisible(operation)) add(operationTool(operation, service, model));
    }
  }
  return [...tools.values()];
}

const READ_OPTIONS: Readonly<Record<string, JsonSchema>> = {
  filter: {
    type: "string",
    description: "Condition as $filter of OData: price gt 10 and author/name eq 'Ann'",
  },
  select: { type: "array", items: { type: "string" }, description: "Names of the elements wanted" },
  expand: {
    type: "string",
    description: "Associations to read, as $expand of OData: author($select=name),items",
  },
  orderby: { type: "string", description: "Order as $orderby of OData: price desc" },
  search: { type: "string", description: "Words to search for, as $search of OData" },
  apply: {
    type: "string",
    description: "Grouping as $apply of OData: groupby((genre),aggregate(price with sum as total))",
  },
  top: { type: "integer", minimum: 0, description: "Rows at most" },
  skip: { type: "integer", minimum: 0, description: "Rows to pass over" },
  count: { type: "boolean", description: "Whether to tell how many rows there are in all" },
};

function readTool(service: LinkedService): Tool {
  const entities = new Map(readableEntities(service).map((entity) => [edmName(entity), entity]));
  const properties = {
    entity: { type: "string", enum: [...entities.keys()], description: "Name of the entity" },
    key: { type: "object", description: "Values of the keys, to read one row" },
    ...READ_OPTIONS,
  };
  return {
    name: READ,
    description: "Reads rows of an entity, with those of associations where they are expanded",
    inputSchema: { type: "object", properties, required: ["entity"], additionalProperties: false },
    isReadOnly: true,
    toRequest(args) {
      assertKnown(args, Object.keys(properties));
      const entity = entities.get(String(args.entity));
      if (!entity) throw unknownName("entity", args.entity, [...entities.keys()]);
      const at = args.key === undefined ? "" : keyOf(entity, args.key);
      return { method: "GET", url: `${edmName(entity)}${at}${queryOf(args)}` };
    },
  };
}

function queryOf(args: Arguments): string {
  const options = Object.keys(READ_OPTIONS).filter((name) => args[name] !== undefined).map((name) => {
    const value = args[name];
    const { type } = READ_OPTIONS[name]!;
    const kind: string = typeof value;
    const fits = type === "array"
      ? Array.isArray(value) && value.every((one) => typeof one === "string")
      : type === "integer"
      ? Number.isInteger(value)
      : kind === type;
    if (!fits) throw new InvalidArguments(`"${name}" must be of type ${type}`);
    return `$${name}=${encodeURIComponent(Array.isArray(value) ? value.join(",") : String(value))}`;
  });
  return options.length > 0 ? `?${options.join("&")}` : "";
}

function keyOf(entity: LinkedEntity, given: unknown): string {
  const names = keyNames(entity);
  const key = typeof given === "object" && given !== null && !Array.isArray(given)
    ? given as Arguments
    : names.length === 1
    ? { [names[0]!]: given }
    : {};
  assertKnown(key, names);
  if (isSingleton(entity)) return "";
  const predicate = keyPredicate(entity, key);
  if (predicate === undefined) throw new InvalidArguments(`"key" must have values for ${names.join(", ")}`);
  return predicate;
}

function operationTool(operation: LinkedOperation, service: LinkedService, model: LinkedModel): Tool {
  const entity = operation.$entity;
  const local = unqualified(operation.name);
  const plain = entity ? `${edmName(entity)}_${local}` : local;
  const schemas = new SchemaCollection(model);
  const own = Object.fromEntries(
    [...operation.params].map((param) => [param.name, schemas.ofElement(param)]),
  );
  const isOfInstance = entity !== undefined && operation.$collectionBound !== true && !isSingleton(entity);
  const keyName = Object.hasOwn(own, "key") ? "instance_key" : "key";
  const required = [...operation.params].filter((param) =>
    param.notNull === true || param["@mandatory"] === true
  )
    .filter((param) => param.default === undefined).map(({ name }) => name);
  const { title, description } = annotationText(operation);
  return {
    name: (plain === READ || plain === DESCRIBE ? `call_${plain}` : plain).replace(/[^A-Za-z0-9_-]/g, "_"),
    description: description ?? title ??
      `Calls the ${operation.kind} ${local}${
        entity ? ` of ${isOfInstance ? "one of " : ""}${edmName(entity)}` : ""
      }`,
    inputSchema: {
      type: "object",
      properties: {
        ...(isOfInstance
          ? { [keyName]: { type: "object", description: "Values of the keys of the row" } }
          : {}),
        ...own,
      },
      required: [...(isOfInstance ? [keyName] : []), ...required],
      additionalProperties: false,
      ...(Object.keys(schemas.schemas).length > 0 ? { components: { schemas: schemas.schemas } } : {}),
    },
    isReadOnly: operation.kind === "function",
    toRequest(args) {
      const { [keyName]: key, ...others } = isOfInstance ? args : { ...args, [keyName]: undefined };
      const params = isOfInstance ? others : args;
      assertKnown(params, Object.keys(own));
      const at = entity ? `${edmName(entity)}${isOfInstance ? keyOf(entity, key) : ""}/${service.name}.` : "";
      const url = `${at}${edmOperationName(operation)}`;
      if (operation.kind === "action") return { method: "POST", url, body: JSON.stringify(params) };
      return { method: "GET", url: `${url}${argumentsOf(operation, params)}` };
    },
  };
}

/** Arguments of a function, by aliases: `(to=@to)?@to='Ann'`. */
function argumentsOf({ params }: LinkedOperation, args: Arguments): string {
  const given = [...params].filter(({ name }) => args[name] !== undefined);
  const names = given.map(({ name }) => `${name}=@${name}`).join(",");
  const values = given.map(({ name, $type }) => {
    const value = args[name];
    const isText = typeof value === "string" &&
      ($type.builtin === "cds.String" || $type.builtin === "cds.LargeString");
    const text = isText
      ? `'${value.replaceAll("'", "''")}'`
      : typeof value === "string"
      ? value
      : JSON.stringify(value);
    return `@${name}=${encodeURIComponent(text)}`;
  });
  return `(${names})${values.length > 0 ? `?${values.join("&")}` : ""}`;
}

function assertKnown(args: Arguments, names: readonly string[]): void {
  for (const name of Object.keys(args)) if (!names.includes(name)) throw unknownName("argument", name, names);
}

/** The error for a name that is none of those expected. */
export function unknownName(what: string, given: unknown, names: readonly string[]): InvalidArguments {
  const near = nearestName(String(given), names);
  const hint = near === undefined
    ? `expected one of ${names.join(", ") || "none"}`
    : `did you mean "${near}"?`;
  return new InvalidArguments(`There is no ${what} "${given}", ${hint}`);
}
