/**
 * Segments behind a property: `/$value`, `/$count`, `/$filter(…)`, members of collections by position and what is inside
 * of them (OData 4.01 Part 2, sections 4.7, 4.8, 4.12 and 4.13).
 *
 * @module
 */

import type { LinkedElement } from "../../../model/linked.ts";
import { memberNames } from "../../../model/nested_structures.ts";
import type { PathSegment } from "../../url/ast.ts";
import { badRequest, unknownName } from "../plan_error.ts";
import type { Resource } from "./resource.ts";
import { typeOf } from "../scope.ts";
import { structureMember, structureMembers } from "../../../model/keys.ts";

/**
 * Follows a segment behind a property.
 *
 * @param resource has reached a property; changed in place
 * @param segment the segment
 * @returns 1: it is used
 * @throws {ServiceError} 400 or 404 for what no property has
 */
export function behindProperty(resource: Resource, segment: PathSegment): number {
  const { property, kind } = resource;
  const { element, name } = property!; // the caller asks only behind properties
  const text = textOf(segment);
  if (kind === "value" || kind === "count") throw badRequest(`Nothing can follow "/${text}"`, segment.offset);
  if (text === "$value" && !resource.collection) {
    if (typeOf({ element }) === undefined) {
      throw badRequest(`The property "${name}" has no raw value`, segment.offset);
    }
    if (kind === "property") resource.kind = "value";
    return 1;
  }
  if (resource.collection) return behindValues(resource, segment);
  if (property!.leaves) return behindStructure(resource, segment);
  const inner = property!.inside ? innerProperty(element, segment) : undefined;
  if (inner === undefined) {
    throw badRequest(`The property "${name}" has no member "${text}"`, segment.offset);
  }
  enter(resource, inner, text);
  return 1;
}

function behindValues(resource: Resource, segment: PathSegment): number {
  const { element, name, inside } = resource.property!; // see the caller
  const text = textOf(segment);
  if (text === "$count") {
    resource.kind = "count";
    resource.collection = false;
    return 1;
  }
  if (segment.kind === "filterInPath" && inside === undefined) {
    resource.filters = [...resource.filters ?? [], segment.filter];
    return 1;
  }
  if (segment.kind === "nameSegment" && /^-?\d{1,9}$/.test(text)) {
    enter(resource, element.$type.items!, Number(text)); // a collection has members
    return 1;
  }
  throw badRequest(`The property "${name}" has no member "${text}"`, segment.offset);
}

/** A member of a structure that rows hold flat. */
function behindStructure(resource: Resource, segment: PathSegment): number {
  const { element, name, leaves = [], depth = 1 } = resource.property!; // see the caller
  if (segment.kind !== "nameSegment" || segment.parens.length > 0) {
    throw badRequest(`The property "${name}" has no member "${textOf(segment)}"`, segment.offset);
  }
  const { name: step, offset } = segment;
  const below = leaves.filter(({ path }) => path[depth] === step);
  const [flat] = below;
  if (!flat) {
    const known = memberNames(leaves, depth);
    throw unknownName({ name: step, offset, what: "property", owner: element.name, known, status: 404 });
  }
  resource.url.push(`/${step}`);
  const inner = element.$type.elements![step]; // foreign keys are no elements
  if (inner?.$type.elements) {
    resource.property = { name: step, element: inner, leaves: below, depth: depth + 1 };
  } else {
    resource.property = { name: flat.name, element: inner ?? flat.element, flat };
    resource.collection = inner?.$type.items !== undefined;
  }
  return 1;
}

function innerProperty(element: LinkedElement, segment: PathSegment): LinkedElement | undefined {
  const { elements } = element.$type;
  if (elements === undefined || segment.kind !== "nameSegment" || segment.parens.length > 0) return undefined;
  const { name, offset } = segment;
  const member = structureMember(elements, name);
  if (member) return member;
  const known = structureMembers(elements);
  throw unknownName({ name, offset, what: "property", owner: element.name, known, status: 404 });
}

function enter(resource: Resource, element: LinkedElement, step: number | string): void {
  const { name, inside = [] } = resource.property!; // see the caller
  resource.property = { name, element, inside: [...inside, step] };
  resource.collection = element.$type.items !== undefined;
  resource.url.push(`/${step}`);
}

/**
 * The name of a segment, without what stands in parentheses.
 *
 * @param segment the segment
 * @returns `Books`, `$filter`
 */
export function textOf(segment: PathSegment): string {
  if (segment.kind === "filterInPath") return "$filter";
  return segment.kind === "crossjoin" ? "$crossjoin" : segment.name;
}
