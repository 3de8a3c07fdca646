/**
 * Paths of actions and functions, bound and unbound.
 *
 * @module
 */

import type { CsdlImport, CsdlOperation, CsdlParameter, CsdlSet, CsdlType } from "../csdl/csdl.ts";
import type { JsonSchema } from "../schema/json_schema.ts";
import { addOperation, addParameters, type PathContext } from "./path_context.ts";
import type { Parameter } from "./query_parameters.ts";

/** Where the operations of an entity type are called. */
export interface BoundPaths {
  readonly set: CsdlSet;
  /** Undefined for singletons. */
  readonly collectionPath: string | undefined;
  readonly entityPath: string;
  /** Parameters of the entity path. */
  readonly keys: readonly Parameter[];
}

/** A call of an operation. */
interface Call {
  readonly operation: CsdlOperation;
  /** Path up to the name of the operation. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly parameters: readonly CsdlParameter[];
  /** Parameters of the path before. */
  readonly keys: readonly Parameter[];
}

/**
 * Adds the operations bound to the entities of a set, or to the set.
 *
 * @param context the document
 * @param paths where they are called
 */
export function addBoundOperations(
  context: PathContext,
  { set, collectionPath, entityPath, keys }: BoundPaths,
): void {
  const { csdl, style } = context;
  for (const operation of csdl.operations) {
    const [binding, ...parameters] = operation.parameters;
    if (!operation.bound || binding?.type !== set.type) continue;
    const owner = binding.collection ? collectionPath : entityPath;
    if (owner === undefined) continue;
    addCall(context, {
      operation,
      path: `${owner}/${style.boundName(csdl.namespace, operation.name)}`,
      id: `${set.name}.${operation.name}`,
      tag: set.name,
      parameters,
      keys: binding.collection ? [] : keys,
    });
  }
}

/**
 * Adds the calls that an import stands for: one for each overload.
 *
 * @param context the document
 * @param item the import
 */
export function addImport(context: PathContext, { name, operation: qualified }: CsdlImport): void {
  const { csdl } = context;
  for (const operation of csdl.operations) {
    if (operation.bound || `${csdl.namespace}.${operation.name}` !== qualified) continue;
    const { parameters } = operation;
    addCall(context, { operation, path: `/${name}`, id: name, tag: "Operations", parameters, keys: [] });
  }
}

function addCall(context: PathContext, call: Call): void {
  if (call.operation.kind === "action") addActionCall(context, call);
  else addFunctionCall(context, call);
}

function addActionCall(context: PathContext, { operation, path, id, tag, parameters, keys }: Call): void {
  const { schemas, paths } = context;
  const properties = Object.fromEntries(parameters.map((one) => [one.name, schemas.ofType(one)]));
  const required = parameters.filter((one) => isDemanded(context, operation, one)).map(({ name }) => name);
  const body = { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
  const earlier = paths[path]?.post;
  addOperation(context, ["post", path], {
    operationId: id,
    tags: [tag],
    ...described(context, operation),
    ...(parameters.length > 0 || earlier
      ? { body: earlier ? eitherBody(earlier, body) : body, bodyOptional: required.length === 0 }
      : {}),
    ...resultOf(context, operation.returns),
  });
  addParameters(context, path, keys);
}

/** Overloads of an action share their path. */
function eitherBody(earlier: unknown, body: JsonSchema): JsonSchema {
  const { requestBody } = earlier as {
    readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  };
  const before = requestBody?.content["application/json"]?.schema ?? { type: "object" };
  return { anyOf: [...(Array.isArray(before.anyOf) ? before.anyOf : [before]), body] };
}

function addFunctionCall(context: PathContext, call: Call): void {
  const { operation, parameters, keys } = call;
  const { schemas, style } = context;
  const isTemplate = (one: CsdlParameter) =>
    isDemanded(context, operation, one) && isSimple(one) && !keys.some(({ name }) => name === one.name);
  const inPath = parameters.every(isTemplate) ? style.args(parameters) : undefined;
  const path = call.path + (inPath ?? (style.args([]) ?? ""));
  const own = parameters.map((one): Parameter => ({
    name: one.name,
    in: inPath === undefined ? "query" : "path",
    ...(inPath !== undefined || isDemanded(context, operation, one) ? { required: true } : {}),
    ...(isSimple(one)
      ? { schema: schemas.ofType(one) }
      : { content: { "application/json": { schema: schemas.ofType(one) } } }),
  }));
  const names = parameters.map(({ name }) => name).join("_");
  addOperation(context, ["get", path], {
    operationId: context.ids.has(call.id) ? `${call.id}.${names}` : call.id,
    tags: [call.tag],
    ...described(context, operation),
    ...(own.length > 0 ? { parameters: own } : {}),
    ...resultOf(context, operation.returns),
  });
  addParameters(context, path, keys);
}

function isSimple({ type, collection }: CsdlParameter): boolean {
  return !collection && type.startsWith("Edm.");
}

/** Clients must send what may neither be null nor left out. */
function isDemanded(context: PathContext, operation: CsdlOperation, parameter: CsdlParameter): boolean {
  const target = `${targetOf(context, operation)}/${parameter.name}`;
  return parameter.nullable === false &&
    context.annotations.value(target, "Core.OptionalParameter") === undefined;
}

function described(
  context: PathContext,
  operation: CsdlOperation,
): { summary: string; description?: string } {
  const { title, description } = context.annotations.described(targetOf(context, operation));
  return { summary: title ?? operation.name, ...(description ? { description } : {}) };
}

function targetOf({ csdl }: PathContext, { name, kind, parameters }: CsdlOperation): string {
  const types = parameters.map(({ type, collection }) => collection ? `Collection(${type})` : type);
  return `${csdl.namespace}.${name}(${kind === "function" ? types.join(",") : ""})`;
}

function resultOf(
  { schemas, style }: PathContext,
  returns: CsdlType | undefined,
): { readonly status: 200 | 204; readonly answer?: JsonSchema } {
  if (!returns) return { status: 204 };
  const structured = schemas.structuredType(returns.type);
  if (returns.collection) {
    const items = schemas.ofType({ ...returns, collection: false, nullable: false });
    return { status: 200, answer: style.collection(items) };
  }
  const schema = schemas.ofType({ ...returns, nullable: structured ? false : returns.nullable });
  return { status: 200, answer: structured ? schema : style.value(schema) };
}
