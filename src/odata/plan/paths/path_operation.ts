/**
 * Operations in paths, and what follows them (OData 4.01 Part 2, sections 4.5 and 4.12).
 *
 * @module
 */

import type { CommonExpr, NameSegment, PathSegment } from "../../url/ast.ts";
import type { Binding, Bindings } from "../shapes/bindings.ts";
import { parameter } from "../../../algebra/build.ts";
import { badRequest, notImplemented, unknownName } from "../plan_error.ts";
import { type KeyBindings, type KeyContext, keyPredicate, keyValue } from "./plan_keys.ts";
import { applyKey, applyResult, applyValue, type Resource } from "./resource.ts";
import { boundOperation, operationNames, returnedEntity, type ServiceIndex } from "../service_index.ts";
import type { ViewWithParameters } from "../../../model/runtime_view.ts";

/** Where a segment stands. */
export interface OperationContext {
  readonly index: ServiceIndex;
  readonly bindings: Bindings;
  readonly resolveAlias: (expr: CommonExpr) => CommonExpr;
  /** The position of the segment in the path. */
  readonly at: number;
}

/**
 * What a function returns can be composed with further segments (URL Conventions 4.5.1).
 *
 * @param resource has reached a call; changed in place
 * @param context where the next segment stands
 * @returns 0: the segment is seen again
 * @throws {ServiceError} 501 for what is not composed
 */
export function behindOperation(resource: Resource, { at, index }: OperationContext): number {
  const { definition, binding, segment } = resource.operation!; // the kind says so
  const { entity, many } = returnedEntity(definition, index.service);
  const { returns } = definition;
  const isComposed = definition.kind === "function" && returns !== undefined && binding !== "each" &&
    resource.source === undefined;
  if (!isComposed) throw notImplemented(`A path behind "${segment.name}"`, segment.offset);
  if (entity) applyResult(resource, { entity, many }, at);
  else applyValue(resource, returns, at);
  return 0;
}

/**
 * `fn()(1)`: one of the entities that a function returns.
 *
 * @param resource has reached a call; changed in place
 * @param context where the call stands
 * @throws {ServiceError} 400 for functions that return no collection of entities
 */
export function keyBehindCall(
  resource: Resource,
  { at, index, bindings, resolveAlias }: OperationContext,
): void {
  const { definition, segment } = resource.operation!; // the callers have set it
  const [, list, more] = segment.parens;
  if (definition.kind !== "function" || list === undefined) return;
  const { entity, many } = returnedEntity(definition, index.service);
  if (!entity || !many) throw badRequest(`"${segment.name}" returns no collection of entities`, list.offset);
  if (more) throw badRequest(`"${segment.name}" has more than one key predicate`, more.offset);
  if (resource.source !== undefined) throw notImplemented("A key behind two functions", list.offset);
  applyResult(resource, { entity, many }, at + 1);
  applyKey(resource, keyPredicate(list, { entity, bindings, resolveAlias }));
}

/**
 * `/$each/S.archive`: an operation called on each member (URL Conventions 4.12).
 *
 * @param resource has reached the members; changed in place
 * @param segment the operation
 * @param context the service
 * @returns 1: the segment is used
 * @throws {ServiceError} 400 and 404 for what is no operation of the members
 */
export function behindEach(resource: Resource, segment: PathSegment, { index }: OperationContext): number {
  const entity = resource.entity!; // collections of entities have members
  if (segment.kind !== "nameSegment") throw badRequest("An operation is expected", segment.offset);
  const { name, offset } = segment;
  const definition = boundOperation(entity, name, index.service);
  if (definition === undefined) {
    const known = operationNames(entity, index.service);
    throw unknownName({ name, offset, what: "operation", owner: entity.name, known, status: 404 });
  }
  if (definition.$collectionBound) {
    throw badRequest(`"${definition.name}" is bound to the collection`, offset);
  }
  resource.operation = { definition, binding: "each", segment };
  resource.kind = "operation";
  resource.url.push(`/${name}`);
  return 1;
}

/**
 * An operation bound to what the path has reached.
 *
 * @param resource changed in place
 * @param definition the operation
 * @param context its segment
 * @returns 1: the segment is used
 */
export function bound(
  resource: Resource,
  definition: NonNullable<Resource["operation"]>["definition"],
  context: OperationContext & { readonly segment: NameSegment },
): number {
  const { segment } = context;
  resource.operation = { definition, binding: resource.collection ? "collection" : "entity", segment };
  resource.kind = "operation";
  resource.url.push(`/${segment.name}`);
  keyBehindCall(resource, context);
  return 1;
}

/** A view and what its arguments refer to. */
type ViewContext = KeyContext & { readonly entity: ViewWithParameters };

/** The navigation property from the parameters to the rows. */
const ROWS = "Set";

/**
 * Reads the values of the parameters of a view.
 *
 * @param resource the view; changed in place
 * @param segments its segment and the one behind it, which leads to the rows
 * @param context the view, bindings
 * @returns the segment that leads to the rows, where a key may follow
 * @throws {ServiceError} 400 for unknown, missing and malformed values, and for paths that do not go on to the rows
 */
export function applyArguments(
  resource: Resource,
  [segment, next]: readonly [NameSegment, PathSegment | undefined],
  context: ViewContext,
): NameSegment {
  const { entity } = context;
  const values = argumentsOf(segment, context);
  if (next?.kind !== "nameSegment" || next.name !== ROWS) {
    const example = [...entity.params].map(({ name }) => `${name}=…`).join(",");
    throw badRequest(
      `The rows of "${segment.name}" are at "${segment.name}(${example})/${ROWS}"`,
      segment.offset,
    );
  }
  const args = Object.fromEntries([...values].map(([name, binding]) => [name, parameter(binding.name)]));
  const key = Object.fromEntries(values);
  resource.ref = [{ id: entity.name, args }];
  resource.keys.push(key);
  resource.url.push({ entity, args: key }, `/${ROWS}`);
  return next;
}

function argumentsOf({ name: view, parens, offset }: NameSegment, context: ViewContext): KeyBindings {
  const { params, name: owner } = context.entity;
  const known = [...params].map(({ name }) => name);
  if (parens.length > 1) throw badRequest(`"${view}" has more than one list of parameters`, offset);
  const given = new Map<string, Binding>();
  for (const { name = known.length === 1 ? known[0] : "", value, offset } of parens[0]?.items ?? []) {
    if (!Object.hasOwn(params, name)) throw unknownName({ name, offset, what: "parameter", owner, known });
    if (given.has(name)) throw badRequest(`The parameter "${name}" is given twice`, offset);
    given.set(name, keyValue(value, { name, element: params[name] }, context));
  }
  const missing = [...params].find((param) => !given.has(param.name) && param.default === undefined);
  if (missing) throw badRequest(`The parameter "${missing.name}" of "${view}" is missing`, offset);
  return given;
}
