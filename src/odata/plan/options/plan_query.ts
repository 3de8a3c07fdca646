/**
 * Resource + options → query template, and what its rows hold.
 *
 * @module
 */

import { call, reference, select } from "../../../algebra/build.ts";
import type { Reference, TreeBody, TreeColumn } from "../../../algebra/tree.ts";
import { etagElement } from "../../headers/etag.ts";
import { memberCountName, referenceOf } from "../../payload/control_information.ts";
import { planApplied, planAppliedCount } from "../apply/apply_query.ts";
import { collectionClauses, entityQuery, type PlannedQuery, type QueryContext } from "./entity_query.ts";
import { planCompute, planMemberCount, planMembers } from "./plan_values.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { planCondition } from "../expressions/plan_expression.ts";
import { nestedJson } from "../expressions/plan_item.ts";
import { planSearch } from "./row_conditions.ts";
import { planStructure } from "./plan_select.ts";
import type { QueryOptions } from "../../url/ast.ts";
import type { ItemPlace, Scope } from "../scope.ts";
import { memberShape } from "./member_shape.ts";
import { isValueCollection } from "../plan.ts";
import type { MemberShape, ResultShape } from "../result_shape.ts";
import type { Resource } from "../paths/resource.ts";
import { keyNames } from "../../../model/keys.ts";

/**
 * Plans the query of a resource of an entity.
 *
 * @param resource what is addressed
 * @param from its reference
 * @param context options and names
 * @returns query, shape and whether it is paged
 */
export function planQuery(resource: Resource, from: Reference, context: QueryContext): PlannedQuery {
  const { options } = context;
  if (options.deltatoken !== undefined) throw notImplemented("$deltatoken", options.offsets.deltatoken);
  if (options.index !== undefined && (context.reads || !isOrdered(resource))) {
    throw badRequest("$index needs a request that adds to an ordered collection", options.offsets.index);
  }
  const base: TreeBody = { from, localized: true, bounded: true };
  switch (resource.kind) {
    case "count":
      return resource.property === undefined
        ? countQuery(base, context)
        : memberCountQuery(resource, base, context);
    case "property":
      return propertyQuery(resource, base, context);
    case "value":
    case "stream":
      return propertyQuery(resource, base, context);
    case "media":
      return { query: select({ ...base, one: true }), paged: false };
    case "ref":
      return refQuery(resource, base, context);
    case "each":
      return eachQuery(resource, base, context);
    case "operation":
      return { query: select(resource.collection ? { from } : { from, one: true }), paged: false };
    default:
      return options.apply === undefined
        ? entityQuery(resource, base, context)
        : planApplied(resource, base, context);
  }
}

/** Whether a resource has an order of its own: collections of values have, which rows hold as they are. */
function isOrdered({ kind, property }: Resource): boolean {
  return kind === "property" && property !== undefined && isValueCollection(property);
}

/** What is read back of the rows that were changed. The path says which rows these are, and nothing else. */
function eachQuery(resource: Resource, base: TreeBody, context: QueryContext): PlannedQuery {
  return entityQuery(resource, base, { ...context, reads: false });
}

function countQuery(base: TreeBody, context: QueryContext): PlannedQuery {
  const { options } = context;
  if (options.apply !== undefined) return planAppliedCount(base, context);
  const scope = { ...context.scope, computed: planCompute(options, context.scope) };
  const where = options.filter && planCondition(options.filter, scope);
  const search = options.search && planSearch(options.search);
  const columns = [{ ...call("count", ["*"]), as: "$count" }];
  return { query: select({ ...base, columns, one: true, where, search }), paged: false };
}

/** The number of members of a collection of values. */
function memberCountQuery(
  resource: Resource,
  base: TreeBody,
  { options, scope }: QueryContext,
): PlannedQuery {
  const { name, element, inside } = resource.property!; // the caller asks behind properties
  const items = element.$type.items!; // only collections are counted
  const path = inside ?? [];
  if (path.some((step) => typeof step === "number" && step < 0)) {
    throw badRequest("Members inside of collections are counted by their position from the start");
  }
  const value = reference([name]);
  const array = path.length === 0 ? value : nestedJson({ kind: "item", element, value, path });
  const asked = { options, filters: resource.filters, isAddressed: true };
  const count = planMemberCount({ array, items }, asked, scope);
  const columns = [{ ...count, as: "$count" }];
  return { query: select({ ...base, columns, one: true }), paged: false };
}

/** What options make of a property: columns in place of it, and what is selected of its value. */
interface PropertyColumns {
  readonly own: readonly TreeColumn[];
  readonly member?: MemberShape;
}

/** The part of a collection of values that options ask for. */
function memberColumns(resource: Resource, { options: given, scope, reads }: QueryContext): PropertyColumns {
  const { name, element, inside } = resource.property!; // the caller asks behind properties
  // nothing is selected of primitive values
  const options = (element.$type.items ?? element).$type.elements ? given : { ...given, select: undefined };
  const { items } = scope.entity.$flat.get(name)?.element.$type ?? {};
  if (!reads) return { own: [] };
  const isPart = inside !== undefined || !items;
  if (isPart && options.compute) return structureColumns(resource, options, scope);
  const selected = options.select && isPart ? memberShape(element, options, new Map()) : undefined;
  if (!items) return { own: [], ...(selected && { member: selected }) };
  const used = inside === undefined ? options : { offsets: {} };
  const collection = { array: reference([name]), items };
  const asked = { options: used, filters: resource.filters, isAddressed: true };
  const { expr, shape } = planMembers(collection, asked, scope);
  const own: TreeColumn[] = expr ? [{ ...expr, as: name }] : [];
  if (element.$type.items && used.count) {
    own.push({ ...planMemberCount(collection, asked, scope), as: memberCountName(name) });
  }
  return { own, member: selected ?? shape };
}

/** What is computed beside the members of one structure. */
function structureColumns(resource: Resource, options: QueryOptions, scope: Scope): PropertyColumns {
  const { name, element, inside, leaves, depth = 1 } = resource.property!; // the caller asks behind properties
  const isNegative = inside?.some((step) => typeof step === "number" && step < 0);
  if (!element.$type.elements || isNegative) {
    throw notImplemented("$compute of this property", options.offsets.compute);
  }
  const place: ItemPlace = { kind: "item", element, value: reference([name]), path: inside ?? [] };
  const value = leaves ? { leaves, depth } : place;
  const { columns, shape } = planStructure({ name, element, value }, options, scope);
  return { own: columns, member: shape };
}

/** A property is changed as a whole. */
function assertWholeProperty({ filters = [] }: Resource): void {
  if (filters.length > 0) throw badRequest('"/$filter(…)" cannot be combined with a change of a property');
}

function propertyQuery(resource: Resource, base: TreeBody, context: QueryContext): PlannedQuery {
  const { property, entity } = resource;
  if (!context.reads) assertWholeProperty(resource);
  const { expand, offsets } = context.options;
  if (expand && expand.length > 0) throw notImplemented("$expand of a property", offsets.expand);
  const names = new Set<string>();
  const { flat, element, inside, name, leaves = [] } = property!; // the kinds that come here have one
  if (inside) names.add(name);
  for (const leaf of leaves) names.add(leaf.name);
  const version = entity && etagElement(entity)?.name;
  // who writes bytes is told their version, not the bytes
  const isSilent = resource.kind === "stream" && !context.reads && version !== undefined;
  if (flat !== undefined && !flat.virtual && !isSilent) names.add(flat.name);
  const add = (name = "") => {
    const described = entity?.$flat.get(name);
    if (described) names.add(described.name);
  };
  for (const annotation of ["@Core.MediaType", "@Core.ContentDisposition.Filename"] as const) {
    add(referenceOf(element[annotation]));
  }
  add(version);
  const { own, member } = memberColumns(resource, context);
  const replaced = own.some((column) => typeof column === "object" && column.as === name);
  if (replaced) names.delete(name);
  const columns = [...[...names].map((one) => reference([one])), ...own];
  const isSelected = member?.select !== undefined || member?.computed !== undefined;
  return {
    query: select({ ...base, columns: columns.length > 0 ? columns : undefined, one: true }),
    paged: false,
    ...(isSelected && { shape: { expand: [], computed: [], members: new Map([[name, member!]]) } }),
  };
}

function refQuery(resource: Resource, base: TreeBody, context: QueryContext): PlannedQuery {
  const entity = resource.entity!; // only entities have references
  const names = keyNames(entity);
  const columns = names.map((name) => reference([name]));
  const shape: ResultShape = {
    entity,
    select: names,
    expand: [],
    computed: [],
  };
  if (!resource.collection) {
    return { query: select({ ...base, columns, one: true }), shape, paged: false };
  }
  const { clauses, ...pages } = collectionClauses(context.options, context.scope, context.reads);
  return { query: select({ ...base, columns, ...clauses }), shape, paged: context.reads, ...pages };
}
