/**
 * Which system query options each kind of resource has (OData 4.01 Part 2, section 5.1; Protocol 11.2.5 and 11.2.6).
 *
 * @module
 */

import type { LinkedElement, LinkedEntity } from "../../../model/linked.ts";
import type { QueryOptions } from "../../url/ast.ts";
import type { Resource } from "../paths/resource.ts";
import { badRequest } from "../plan_error.ts";

/** The options that choose, order, page or shape what a resource holds. */
type ShapingOption =
  | "apply"
  | "compute"
  | "count"
  | "expand"
  | "filter"
  | "orderby"
  | "search"
  | "select"
  | "skip"
  | "skiptoken"
  | "top";

/** What options are about. */
interface OptionOwner {
  /** In words, behind "The option $top is not allowed for". */
  readonly name: string;
  readonly options: ReadonlySet<ShapingOption>;
}

const SHAPE = ["compute", "expand", "select"] as const;
const CHOICE = ["count", "filter", "orderby", "search", "skip", "skiptoken", "top"] as const;

function owner(name: string, ...options: readonly ShapingOption[]): OptionOwner {
  return { name, options: new Set(options) };
}

const ENTITIES = owner("a collection of entities", "apply", ...CHOICE, ...SHAPE);
const ENTITY = owner("a single entity", ...SHAPE);
/** A condition decides whether it is shown. */
const EXPANDED_ONE = owner("a single expanded entity", "apply", "filter", ...SHAPE);
const VALUES = owner("a collection of values", "apply", ...CHOICE, ...SHAPE);
const STRUCTURE = owner("a single value", ...SHAPE);
/** Nothing can be selected of it, and whoever tries gets all that there is. */
const PRIMITIVE = owner("a single value", "select");
const COUNT = owner("/$count", "apply", "compute", "filter", "search");
const RAW = owner("/$value");
const STREAM = owner("a stream");
const REFERENCES = owner("/$ref of a collection", ...CHOICE);
const REFERENCE = owner("/$ref of a single entity");
const WRITTEN = owner("a request that changes data", ...SHAPE);
const WRITTEN_REFERENCE = owner("a request that changes references");
const EACH = owner('/$each; "/$filter(…)" in the path chooses members', ...SHAPE);
const NOTHING = owner("an operation that returns nothing");
const SERVICE = owner("this resource");
const ALL = owner("$all", "count", "filter", "search", "skip", "skiptoken", "top");
const CROSSJOIN = owner("$crossjoin", "count", "expand", "filter", "orderby", "skip", "skiptoken", "top");

/** What an operation returns. */
export interface Returned {
  /** Its type: that of a member where many are returned. */
  readonly element: LinkedElement;
  readonly entity: LinkedEntity | undefined;
  readonly many: boolean;
  /** Each of the many is a collection: options of rows are about the members of each, those of pages about all. */
  readonly nested: boolean;
}

/** What else is known of a request. */
export interface OptionUse {
  /** GET, HEAD, and queries in bodies. */
  readonly reads: boolean;
  /** What an operation returns: a member where `many`; undefined for nothing. */
  readonly returned?: Returned | undefined;
}

/**
 * Makes sure that a resource has all system query options of its URL.
 *
 * @param resource what is addressed
 * @param options the options
 * @param use what the request does
 * @throws {ServiceError} 400 for the first option that it does not have
 */
export function assertOptions(resource: Resource, options: QueryOptions, use: OptionUse): void {
  assertOwned(options, ownerOf(resource, use));
}

/**
 * Makes sure that an expanded single entity has no options of collections (Part 2, section 5.1.3).
 *
 * @param options the options in parentheses
 * @throws {ServiceError} 400 for the first option that it does not have
 */
export function assertExpandedOne(options: QueryOptions): void {
  assertOwned(options, EXPANDED_ONE);
}

function assertOwned(options: QueryOptions, { name, options: allowed }: OptionOwner): void {
  for (const option in options.offsets) {
    if (!SHAPING.has(option as ShapingOption) || allowed.has(option as ShapingOption)) continue;
    if (options[option as ShapingOption] === undefined) continue; // an argument of the operation
    throw badRequest(`The option $${option} is not allowed for ${name}`, options.offsets[option]);
  }
}

const SHAPING: ReadonlySet<ShapingOption> = new Set(["apply", ...CHOICE, ...SHAPE]);

function ownerOf(resource: Resource, { reads, returned }: OptionUse): OptionOwner {
  const { kind, collection, property } = resource;
  switch (kind) {
    case "entitySet":
      return reads ? ENTITIES : WRITTEN;
    case "entity":
      return reads ? ENTITY : WRITTEN;
    case "property":
      return reads ? valueOwner(property!.element) : WRITTEN; // the kind has one
    case "count":
      return COUNT;
    case "value":
    case "media":
      return RAW;
    case "stream":
      return STREAM;
    case "ref":
      if (!reads) return WRITTEN_REFERENCE;
      return collection ? REFERENCES : REFERENCE;
    case "each":
      return EACH;
    case "operation":
      return returned ? resultOwner(returned) : NOTHING;
    case "all":
      return ALL;
    case "crossjoin":
      return CROSSJOIN;
    case "serviceDocument":
    case "metadata":
    case "openapi":
    case "batch":
      return SERVICE;
    default:
      return kind satisfies never;
  }
}

function valueOwner(element: LinkedElement): OptionOwner {
  if (element.$type.items) return VALUES;
  return element.$type.elements ? STRUCTURE : PRIMITIVE;
}

function resultOwner({ element, entity, many }: Returned): OptionOwner {
  if (entity) return many ? ENTITIES : ENTITY;
  return many ? VALUES : valueOwner(element);
}
