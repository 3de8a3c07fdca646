import type {
  CsdlImport,
  CsdlNavigationProperty,
  CsdlOperation,
  CsdlParameter,
  CsdlProperty,
  CsdlSet,
  CsdlStructuredType,
  CsdlType,
} from "../csdl/csdl.ts";
import {
  addOperation,
  addParameters,
  collectionParameters,
  entityParameters,
  keyParameters,
  keyProperties,
  type Parameter,
  type PathContext,
} from "./path_context.ts";
import type { JsonSchema } from "../schema/json_schema.ts";

/** A set or singleton on its way into the document. */
interface SetPaths {
  readonly set: CsdlSet;
  readonly type: CsdlStructuredType;
  /** Qualified name of the annotated set. */
  readonly target: string;
  /** What users see: the label, or the name. */
  readonly label: string;
  readonly keys: readonly CsdlProperty[];
  /** Path of one entity. */
  readonly entityPath: string;
}

/**
 * Adds the paths of an entity set or singleton.
 *
 * @param context the document
 * @param set the set
 */
export function addSet(context: PathContext, set: CsdlSet): void {
  const { schemas, annotations, csdl, style } = context;
  const type = schemas.structuredType(set.type);
  if (!type) return;
  const keys = keyProperties(schemas, type);
  const target = `${csdl.namespace}.EntityContainer/${set.name}`;
  const label = annotations.described(set.type).title ?? set.name;
  const root = `/${set.name}`;
  const entityPath = set.kind === "singleton" ? root : `${root}${style.key(keys)}`;
  const paths: SetPaths = { set, type, target, label, keys, entityPath };
  if (set.kind === "set" && !set.holdsParameters) addCollection(context, paths, root);
  if (!set.holdsParameters) addEntity(context, paths);
  for (const member of type.members) {
    if (member.kind === "navigation") addNavigation(context, paths, member);
    else if (member.type === "Edm.Stream") addStream(context, paths, `/${member.name}`);
  }
  if (type.hasStream) addStream(context, paths, "/$value");
  addBoundOperations(context, {
    set,
    collectionPath: set.kind === "set" ? root : undefined,
    entityPath,
    keys: keyParameters(context, set.type, set.kind === "set" ? keys : []),
  });
}

function addCollection(context: PathContext, { set, type, target, label }: SetPaths, path: string): void {
  const { schemas, annotations, style } = context;
  const row = { type: set.type, nullable: false };
  const tags = [set.name];
  const { description } = annotations.described(set.type);
  if (annotations.allows(target, "ReadRestrictions", "Readable")) {
    addOperation(context, ["get", path], {
      operationId: `${set.name}.list`,
      summary: `List ${label}`,
      ...(description ? { description } : {}),
      tags,
      parameters: collectionParameters(target, type, annotations),
      status: 200,
      answer: style.collection(schemas.ofType(row)),
    });
    addCount(context, { set, type, target, label }, path);
  }
  if (annotations.allows(target, "InsertRestrictions", "Insertable")) {
    addOperation(context, ["post", path], {
      operationId: `${set.name}.create`,
      summary: `Create one of ${label}`,
      tags,
      body: schemas.ofType(row, "create"),
      status: 201,
      answer: schemas.ofType(row),
    });
  }
}

function addCount(
  context: PathContext,
  { set, target, label }: Pick<SetPaths, "set" | "type" | "target" | "label">,
  path: string,
): void {
  if (!context.annotations.allows(target, "CountRestrictions", "Countable")) return;
  addOperation(context, ["get", `${path}/$count`], {
    operationId: `${set.name}.count`,
    summary: `Count ${label}`,
    tags: [set.name],
    parameters: ["search", "filter"].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    status: 200,
    mediaType: "text/plain",
    answer: { type: "integer", minimum: 0 },
  });
}

function addEntity(context: PathContext, { set, type, target, label, keys, entityPath }: SetPaths): void {
  const { schemas, annotations } = context;
  const row = { type: set.type, nullable: false };
  const tags = [set.name];
  if (annotations.allows(target, "ReadRestrictions", "Readable")) {
    addOperation(context, ["get", entityPath], {
      operationId: `${set.name}.read`,
      summary: `Read one of ${label}`,
      tags,
      parameters: entityParameters(target, type, annotations),
      status: 200,
      answer: schemas.ofType(row),
    });
  }
  if (annotations.allows(target, "UpdateRestrictions", "Updatable")) {
    for (const [method, name, verb] of [["patch", "update", "Change"], ["put", "replace", "Replace"]]) {
      addOperation(context, [method!, entityPath], {
        operationId: `${set.name}.${name}`,
        summary: `${verb} one of ${label}`,
        tags,
        body: schemas.ofType(row, "update"),
        status: 200,
        answer: schemas.ofType(row),
      });
    }
  }
  if (set.kind === "set" && annotations.allows(target, "DeleteRestrictions", "Deletable")) {
    addOperation(context, ["delete", entityPath], {
      operationId: `${set.name}.delete`,
      summary: `Delete one of ${label}`,
      tags,
      status: 204,
    });
  }
  if (set.kind === "set") addParameters(context, entityPath, keyParameters(context, set.type, keys));
}

function addNavigation(context: PathContext, paths: SetPaths, member: CsdlNavigationProperty): void {
  const { schemas, annotations, style, csdl } = context;
  const { set, keys } = paths;
  const type = schemas.structuredType(member.type);
  if (!type) return;
  const path = `${paths.entityPath}/${member.name}`;
  const row = { type: member.type, nullable: false };
  const boundTo = set.holdsParameters ? set.name : set.bindings.find(([name]) => name === member.name)?.[1];
  const target = `${csdl.namespace}.EntityContainer/${boundTo ?? ""}`;
  const { title = member.name } = annotations.described(`${set.type}/${member.name}`);
  const common = { tags: [...new Set([set.name, ...(boundTo === undefined ? [] : [boundTo])])] };
  if (annotations.allows(target, "ReadRestrictions", "Readable")) {
    const parameters = member.collection
      ? collectionParameters(target, type, annotations)
      : entityParameters(target, type, annotations);
    addOperation(context, ["get", path], {
      ...common,
      operationId: `${set.name}.${member.name}.${member.collection ? "list" : "read"}`,
      summary: `Read ${title} of one of ${paths.label}`,
      parameters,
      status: 200,
      answer: member.collection ? style.collection(schemas.ofType(row)) : schemas.ofType(row),
    });
  }
  if (member.collection && annotations.allows(target, "InsertRestrictions", "Insertable")) {
    addOperation(context, ["post", path], {
      ...common,
      operationId: `${set.name}.${member.name}.create`,
      summary: `Create one of ${title} of one of ${paths.label}`,
      body: schemas.ofType(row, "create"),
      status: 201,
      answer: schemas.ofType(row),
    });
  }
  if (set.kind === "set") addParameters(context, path, keyParameters(context, set.type, keys));
}

function addStream(context: PathContext, { set, label, keys, entityPath }: SetPaths, suffix: string): void {
  const path = `${entityPath}${suffix}`;
  const name = `${set.name}.${suffix.replace(/^\/\$?/, "")}`;
  const bytes = { mediaType: "application/octet-stream", tags: [set.name] };
  const content = { type: "string", format: "binary" };
  addOperation(context, ["get", path], {
    ...bytes,
    operationId: `${name}.read`,
    summary: `Read the content of one of ${label}`,
    status: 200,
    answer: content,
  });
  addOperation(context, ["put", path], {
    ...bytes,
    operationId: `${name}.replace`,
    summary: `Replace the content of one of ${label}`,
    body: content,
    status: 204,
  });
  addOperation(context, ["delete", path], {
    ...bytes,
    operationId: `${name}.delete`,
    summary: `Delete the content of one of ${label}`,
    status: 204,
  });
  if (set.kind === "set") addParameters(context, path, keyParameters(context, set.type, keys));
}

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
function addBoundOperations(
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
