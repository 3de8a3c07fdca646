/**
 * Paths of entity sets and singletons.
 *
 * @module
 */

import type { CsdlNavigationProperty, CsdlProperty, CsdlSet, CsdlStructuredType } from "../csdl/csdl.ts";
import { addBoundOperations } from "./operation_paths.ts";
import {
  addOperation,
  addParameters,
  keyParameters,
  keyProperties,
  type PathContext,
} from "./path_context.ts";
import { collectionParameters, entityParameters } from "./query_parameters.ts";

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
