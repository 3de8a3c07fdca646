/**
 * Resource path + model → resource (OData 4.01 Part 2, section 4).
 *
 * @module
 */

import { edmProperty, mediaElement } from "../../../model/edm_types.ts";
import type { Expr } from "../../../algebra/tree.ts";
import { ServiceError } from "../../../errors/service_error.ts";
import { hasParameters } from "../../../model/runtime_view.ts";
import type { LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import { type NestedStructure, nestedStructures } from "../../../model/nested_structures.ts";
import { entitySetName, entityTypeName, isStream } from "../../names.ts";
import type { CommonExpr, NameSegment, PathSegment, SystemSegment } from "../../url/ast.ts";
import type { Binding, Bindings } from "../shapes/bindings.ts";
import { fixedKeys, freeKeys, keyPredicate, keySegments } from "./plan_keys.ts";
import { badRequest, notFound, notImplemented, unknownName } from "../plan_error.ts";
import { applyArguments, behindEach, behindOperation, bound, keyBehindCall } from "./path_operation.ts";
import { propertyNames } from "../expressions/plan_member.ts";
import { behindProperty, textOf } from "./property_path.ts";
import { addCondition, applyKey, applyNavigation, type Resource } from "./resource.ts";
import {
  boundOperation,
  castEntity,
  castTwice,
  derivedCast,
  isOfType,
  localName,
  namedEntityType,
  navigationOf,
  operationNames,
  type ServiceIndex,
  typeCondition,
} from "../service_index.ts";
import type { RowName } from "../scope.ts";
import { isSingleton } from "../../../model/service_document.ts";

/** What paths are planned with. */
export interface PathContext {
  readonly index: ServiceIndex;
  readonly bindings: Bindings;
  readonly resolveAlias: (expr: CommonExpr) => CommonExpr;
  /** Plans the condition of `/$filter(…)` on an entity. */
  readonly planFilter: (filter: CommonExpr, entity: LinkedEntity) => { where: Expr; row: RowName };
}

/**
 * Finds what a path addresses.
 *
 * @param segments the path
 * @param context service and bindings
 * @returns the resource
 * @throws {ServiceError} 404 for unknown names, 400 below a property, 501 for what we do not serve
 */
export function planPath(segments: readonly PathSegment[], context: PathContext): Resource {
  const [first] = segments;
  const resource: Resource = {
    kind: "serviceDocument",
    collection: false,
    singleton: false,
    ref: [],
    path: "",
    keys: [],
    url: [],
  };
  if (first === undefined) return resource;
  const start = firstSegment(resource, segments, context);
  for (let i = start; i < segments.length;) i += nextSegment(resource, segments, { ...context, at: i });
  return resource;
}

/** Where the OpenAPI document is, below the root of the service. */
const OPENAPI_NAME = "openapi.json";

/** Follows the first segment, or two where a view has parameters; returns how many. */
function firstSegment(resource: Resource, segments: readonly PathSegment[], context: PathContext): number {
  const [segment, next] = segments;
  const entity = segment.kind === "nameSegment" ? context.index.entitySets.get(segment.name) : undefined;
  if (entity === undefined || segment.kind !== "nameSegment") {
    unboundSegment(resource, segment, context);
    return 1;
  }
  entitySet(resource, entity);
  if (hasParameters(entity)) {
    const rows = applyArguments(resource, [segment, next], { ...context, entity });
    readKey(resource, rows, context);
    return 2;
  }
  // A key behind a singleton is tolerated.
  if (!resource.singleton) readKey(resource, segment, context);
  return 1;
}

function unboundSegment(resource: Resource, segment: PathSegment, context: PathContext): void {
  if (segment.kind === "systemSegment" && (segment.name === "$metadata" || segment.name === "$batch")) {
    resource.kind = segment.name === "$batch" ? "batch" : "metadata";
    return;
  }
  if (segment.kind === "crossjoin" || (segment.kind === "systemSegment" && segment.name === "$all")) {
    resource.kind = segment.kind === "crossjoin" ? "crossjoin" : "all";
    resource.collection = true;
    if (segment.kind === "crossjoin") resource.crossjoin = segment;
    return;
  }
  if (segment.kind !== "nameSegment") throw notFound(`Nothing is at "${textOf(segment)}"`);
  const { index } = context;
  const { name, offset } = segment;
  if (name === OPENAPI_NAME) {
    resource.kind = "openapi";
    return;
  }
  const operation = index.operations.get(localName(name, index.service));
  if (operation === undefined) {
    const known = [...index.entitySets.keys(), ...index.operations.keys(), "$metadata", "$batch"];
    throw unknownName({ name, offset, what: "resource", owner: index.service.name, known, status: 404 });
  }
  resource.kind = "operation";
  resource.operation = { definition: operation, segment };
  resource.url.push(localName(operation.name, index.service));
  keyBehindCall(resource, { ...context, at: 0 });
}

function entitySet(resource: Resource, entity: LinkedEntity): void {
  const singleton = isSingleton(entity);
  resource.entity = entity;
  resource.ref = [entity.name];
  resource.path = entity.name;
  resource.url.push(entitySetName(entity));
  resource.singleton = singleton;
  resource.collection = !singleton;
  resource.kind = singleton ? "entity" : "entitySet";
}

function readKey(resource: Resource, segment: NameSegment, context: PathContext): void {
  const [list, more] = segment.parens;
  if (list === undefined) return;
  if (more !== undefined) throw notFound(`"${segment.name}" has more than one key predicate`);
  const { bindings, resolveAlias } = context;
  const fixed = parentKeys(resource);
  applyKey(resource, keyPredicate(list, { entity: resource.entity!, bindings, resolveAlias, ...fixed }));
}

function parentKeys(resource: Resource): { fixed?: ReadonlyMap<string, Binding | undefined> } {
  const { navigation, entity } = resource;
  if (navigation === undefined || navigation.keyed || entity === undefined) return {};
  const [parent] = resource.keys.slice(-1);
  const key = parent && navigation.ref.length === resource.ref.length - 1
    ? new Map(Object.entries(parent))
    : undefined;
  return { fixed: fixedKeys(navigation.element, entity, key) };
}

interface NextContext extends PathContext {
  readonly at: number;
}

/** Follows one segment, or as many as a key has; returns how many. */
function nextSegment(resource: Resource, segments: readonly PathSegment[], context: NextContext): number {
  const segment = segments[context.at];
  if (resource.kind === "operation") return behindOperation(resource, context);
  if (resource.kind === "each") return behindEach(resource, segment, context);
  if (resource.property !== undefined) return behindProperty(resource, segment);
  if (resource.kind === "all" && segment.kind === "nameSegment") return allOfType(resource, segment, context);
  if (resource.entity === undefined) throw notFound(`Nothing can follow "${textOf(segments[0])}"`);
  if (segment.kind === "filterInPath") {
    if (!resource.collection) throw badRequest("$filter needs a collection", segment.offset);
    const { where, row } = context.planFilter(segment.filter, resource.entity);
    addCondition(resource, where, row);
    return 1;
  }
  if (segment.kind === "systemSegment") return systemSegment(resource, segment);
  if (segment.kind === "crossjoin") throw badRequest("$crossjoin must come first", segment.offset);
  return resource.collection
    ? behindCollection(resource, segments, { ...context, segment })
    : behindEntity(resource, { ...context, segment });
}

/** `$all/S.Books`: the entities of one type. */
function allOfType(resource: Resource, segment: NameSegment, context: NextContext): number {
  const { name, offset } = segment;
  const sets = [...context.index.entitySets.values()];
  const entity = sets[0] && namedEntityType(name, sets[0]);
  if (entity === undefined) {
    const known = sets.map(entityTypeName);
    throw unknownName({ name, offset, what: "type", owner: context.index.service.name, known, status: 404 });
  }
  resource.path = "";
  const type = { ...segment, parens: [] };
  entitySet(resource, entity);
  return derivedCast(name, entity) ? castSegment(resource, type, context) : 1;
}

function systemSegment(resource: Resource, segment: SystemSegment): number {
  const { name, offset } = segment;
  switch (name) {
    case "$count":
      if (!resource.collection) throw badRequest("$count needs a collection", offset);
      resource.kind = "count";
      resource.collection = false;
      break;
    case "$ref":
      resource.kind = "ref";
      break;
    case "$each":
      if (!resource.collection) throw badRequest("$each needs a collection", offset);
      resource.kind = "each";
      break;
    case "$value":
      if (resource.collection || !hasMedia(resource.entity!)) {
        throw new ServiceError({ status: 400 });
      }
      mediaStream(resource);
      break;
    case "$query":
      throw badRequest('"/$query" is for POST requests', offset);
    default:
      throw notImplemented(`"/${name}"`, offset);
  }
  resource.url.push(`/${name}`);
  return 1;
}

/** The stream of a media entity is kept in one of its elements. */
function mediaStream(resource: Resource): void {
  const entity = resource.entity!; // the caller asks behind entities
  const element = mediaElement(entity);
  resource.kind = element ? "stream" : "media";
  if (!element) return;
  resource.media = true;
  resource.property = { name: element.name, element, flat: entity.$flat.get(element.name) };
}

/** Whether the entity itself is a media resource. */
function hasMedia(entity: LinkedEntity): boolean {
  return mediaElement(entity) !== undefined || entity["@odata.mediaEntity"] === true ||
    entity["@odata.HasStream"] === true ||
    entity["@Core.MediaType"] !== undefined;
}

interface CollectionContext extends NextContext {
  readonly segment: NameSegment;
}

function behindCollection(
  resource: Resource,
  segments: readonly PathSegment[],
  context: CollectionContext,
): number {
  const { segment, index } = context;
  const entity = resource.entity!; // a collection of entities
  const operation = boundOperation(entity, segment.name, index.service);
  if (operation !== undefined) {
    if (!operation.$collectionBound) {
      throw badRequest(`"${operation.name}" is bound to one instance`, segment.offset);
    }
    return bound(resource, operation, context);
  }
  const isType = segment.name.includes(".")
    ? namedEntityType(segment.name, entity)
    : derivedCast(segment.name, entity);
  if (isType) {
    return castSegment(resource, segment, context);
  }
  if (segment.parens.length > 0) {
    const known = operationNames(entity, context.index.service);
    throw unknownName({
      name: segment.name,
      offset: segment.offset,
      what: "operation",
      owner: entity.name,
      known,
      status: 404,
    });
  }
  const fixed = parentKeys(resource);
  const count = freeKeys({ entity, ...fixed }).length;
  const texts = segments.slice(context.at, context.at + count).filter((item): item is NameSegment =>
    item.kind === "nameSegment" && item.parens.length === 0
  );
  if (texts.length < count) throw badRequest(`"${entity.name}" has ${count} keys`, segment.offset);
  const { bindings, resolveAlias } = context;
  applyKey(resource, keySegments(texts, { entity, ...fixed, bindings, resolveAlias }));
  return count;
}

/** Instances of the type only; a key may follow in parentheses. */
function castSegment(resource: Resource, segment: NameSegment, context: NextContext): number {
  const { name, offset } = segment;
  if (resource.castAt === context.at - 1) throw castTwice(offset);
  if (segment.parens.length === 0) resource.castAt = context.at;
  resource.entity = castEntity(resource.entity!, { name, offset, status: 404 }); // behind entities only
  const cast = derivedCast(name, resource.entity);
  if (cast) {
    addCondition(resource, typeCondition(cast));
    resource.cast = cast;
    resource.url.push(`/${resource.entity.$service?.name}.${cast.name}`);
  }
  if (segment.parens.length > 0 && !resource.collection) {
    throw badRequest(`"${name}" has no key here`, offset);
  }
  readKey(resource, segment, context);
  return 1;
}

function behindEntity(resource: Resource, context: CollectionContext): number {
  const { segment } = context;
  const entity = resource.entity!; // one entity
  const { name, offset } = segment;
  const navigation = navigationOf(entity, name);
  if (navigation !== undefined) {
    const { element } = navigation;
    applyNavigation(resource, element, navigation.target);
    if (segment.parens.length > 0 && !element.is2many) {
      throw badRequest(`"${name}" is not a collection`, offset);
    }
    readKey(resource, segment, context);
    return 1;
  }
  const structure = nestedStructures(entity).get(name);
  if (structure) return structureProperty(resource, structure, segment);
  const element = Object.hasOwn(entity.elements, name) ? entity.elements[name] : undefined;
  if (isProperty(resource, name)) return property(resource, segment, element);
  const operation = boundOperation(entity, name, context.index.service);
  if (operation === undefined) {
    if (name === "") throw badRequest("A name is expected behind the slash", offset);
    if (namedEntityType(name, entity)) return castSegment(resource, segment, context);
    const known = [...propertyNames(entity), ...operationNames(entity, context.index.service)];
    throw unknownName({ name, offset, what: "property", owner: entity.name, known, status: 404 });
  }
  if (operation.$collectionBound) throw badRequest(`"${operation.name}" is bound to the collection`, offset);
  return bound(resource, operation, context);
}

function isProperty(resource: Resource, name: string): boolean {
  const entity = resource.entity!; // one entity
  const flat = edmProperty(entity, name);
  return flat !== undefined && isOfType(entity, resource.cast?.name, flat.annotated);
}

function structureProperty(
  resource: Resource,
  { element, leaves }: NestedStructure,
  { name, parens, offset }: NameSegment,
): number {
  if (parens.length > 0) throw badRequest(`The property "${name}" has no key`, offset);
  resource.property = { name, element, leaves, depth: 1 };
  resource.kind = "property";
  resource.collection = false;
  resource.url.push(`/${name}`);
  return 1;
}

function property(resource: Resource, segment: NameSegment, element: LinkedElement | undefined): number {
  const flat = resource.entity!.$flat.get(segment.name)!; // checked by the caller
  if (segment.parens.length > 0) {
    throw badRequest(`The property "${segment.name}" has no key`, segment.offset);
  }
  const actual = element ?? flat.element;
  resource.property = { name: segment.name, element: actual, flat };
  resource.kind = isStream(actual) ? "stream" : "property";
  resource.collection = actual.$type.items !== undefined;
  resource.url.push(`/${segment.name}`);
  return 1;
}
