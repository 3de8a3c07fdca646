/**
 * What a URL means for a service: the resource addressed, the query that reads it, and all a protocol adapter needs
 * to run the request and to write the answer.
 *
 * @module
 */

import type { QueryParams, RefExpression, Row, SelectQuery } from "../../cqn/cqn.ts";
import type { ValueType } from "./expressions/literal_values.ts";
import type { DerivedCast } from "./service_index.ts";
import type { QueryInputs } from "./query_inputs.ts";
import type { MemberShape, ResultShape } from "./result_shape.ts";
import type { FlatElement, LinkedElement, LinkedEntity, LinkedOperation } from "../../model/linked.ts";

/** What a URL means. Plans are never changed; several requests share what does not depend on the values in their URLs. */
export type Plan = ServicePlan | AllPlan | CrossjoinPlan | PartPlan | UnboundPlan | EntityPlan;

/** What the path to an entity, to several or to what is below them means. */
export type EntityPlan = RowsPlan | CountPlan | PropertyPlan | BoundPlan;

/** An action or function. */
export type OperationPlan = BoundPlan | UnboundPlan;

/** Which resource a plan is about. */
export type PlanKind = Plan["kind"];

/** What all plans have. */
interface AnyPlan {
  /** Whether the answer is a collection. */
  readonly collection: boolean;
  readonly options: PlanOptions;
  /** Values of the parameters of queries and references. */
  readonly queryParams: QueryParams;
}

/** Query options that no query holds. */
export interface PlanOptions {
  /** `$count=true`. */
  readonly count: boolean;
  /** `$format`, decoded. */
  readonly format?: string;
  readonly schemaversion?: string;
  /** `$index`: where a value is inserted in a collection of values; from the end if negative. */
  readonly index?: number;
  /** Options that the standard does not define, decoded. */
  readonly custom: Readonly<Record<string, string>>;
}

/** What leads to no entity. */
interface PlanWithoutEntity extends AnyPlan {
  readonly target?: undefined;
}

/** A resource of the service itself. */
export interface ServicePlan extends PlanWithoutEntity {
  readonly kind: "serviceDocument" | "metadata" | "openapi" | "batch";
}

/** `$all`: the entities of all sets. */
export interface AllPlan extends PlanWithoutEntity {
  readonly kind: "all";
  readonly sets: readonly ReadSet[];
  readonly paging: Paging;
}

/** `$crossjoin(…)`: pairs of entities of several sets. */
export interface CrossjoinPlan extends PlanWithoutEntity {
  readonly kind: "crossjoin";
  readonly sets: readonly JoinedSet[];
  /** Frozen template that reads the pairs. */
  readonly query: SelectQuery;
  readonly paging: Paging;
}

/** A part of a value that a function returns. */
export interface PartPlan extends PlanWithoutEntity {
  readonly kind: "part";
  /** What is shown of it: its `/$value`, its `/$count`, or itself. */
  readonly form: "property" | "value" | "count";
  readonly property: PropertyStep;
  /** The number of segments that call the function. */
  readonly source: number;
  readonly shape?: undefined;
}

/** An operation that is bound to nothing. */
export interface UnboundPlan extends PlanWithoutEntity {
  readonly kind: "operation";
  readonly operation: OperationCall;
}

/** What the paths to entities and to what is below them have in common. */
interface PlanOfEntity extends AnyPlan {
  /** The last entity of the path (spec 2.3). */
  readonly target: LinkedEntity;
  /** What the service is asked for, where it has other rows than clients see. */
  readonly rows?: RowsAsked;
  /** The derived type that the path asks for. */
  readonly cast?: DerivedCast;
  /** The path names a singleton and nothing behind it. */
  readonly singleton: boolean;
  /** Canonical path with navigation: `CatalogService.Books/author` (spec 2.3). */
  readonly path: string;
  /** What the path addresses, with values. */
  readonly addressed: Addressed;
  /** The `subject` of what is addressed, as template: values are the parameters in `queryParams`; its identity is stable for a URL shape. */
  readonly from: RefExpression;
  /** The last navigation of the path, if the resource was reached by one. */
  readonly navigation?: NavigationStep;
  /** The number of segments that call the function whose result the path goes on behind. */
  readonly source?: number;
  /**
   * Frozen template that reads the resource with all options applied (`one` for single results); of an operation the
   * query on what it is bound to. For `count` it selects one row with the column `$count`. For methods that write it serves
   * the read-back.
   */
  readonly query: SelectQuery;
  /** What the rows of the answer hold, for payload and context URL. */
  readonly shape?: ResultShape;
  /** What has to be found out before the query runs. */
  readonly before?: QueryInputs;
  /** What `$apply` asks for beside the rows of the query. */
  readonly applied?: AppliedParts;
  /** The page of a collection of entities. */
  readonly paging?: Paging;
}

/**
 * Entities, or references to them:
 * - `entitySet`: a collection of entities (a set or a to-many navigation); `entity`: one entity (by key, to-one
 *   navigation, ordinal or singleton); which way it was reached is in `navigation` and `singleton`
 * - `ref`: `/$ref` of an entity or a collection
 * - `each`: `/$each`, the members of a collection one by one
 * - `media`: `/$value` of an entity without stream
 */
export interface RowsPlan extends PlanOfEntity {
  readonly kind: "entitySet" | "entity" | "ref" | "each" | "media";
  readonly property?: undefined;
}

/** `/$count` of a collection of entities, or of the collection of values in a property: a number as text. */
export interface CountPlan extends PlanOfEntity {
  readonly kind: "count";
  readonly property?: PropertyStep;
}

/**
 * A property of an entity:
 * - `property`: a primitive, complex or collection-valued property; `value`: its `/$value`
 * - `stream`: a stream property (with or without `/$value`)
 */
export interface PropertyPlan extends PlanOfEntity {
  readonly kind: "property" | "value" | "stream";
  readonly property: PropertyStep;
  /** The stream is that of a media entity. */
  readonly media?: boolean;
}

/** An operation that is bound to entities. */
export interface BoundPlan extends PlanOfEntity {
  readonly kind: "operation";
  readonly operation: OperationCall;
  readonly property?: undefined;
}

/** What `$apply` asks for beside the rows of a query; `Q` is the form of its queries. */
export interface AppliedParts<Q = SelectQuery> {
  /** The sequences of `concat`, one behind the other in the answer; the query of the plan is the first. */
  readonly parts?: readonly PlanPart<Q>[];
  /** Entities that the groups are related to. */
  readonly groups?: readonly GroupExpand<Q>[];
}

/** What a service is asked for in place of what clients see. */
export interface RowsAsked {
  readonly target: LinkedEntity;
  readonly path: string;
  /** What a write addresses, as template: values are the parameters in `queryParams`. */
  readonly place: RefExpression;
}

/** What a path addresses, with the values of its keys. */
export interface Addressed {
  /** Key objects in URL order, values converted to the types of the keys (spec 2.3). */
  readonly params: readonly Row[];
  /** The instances (spec 2.3): `{ref: [{id, where}, "author"]}`. */
  readonly subject: RefExpression;
  /** The canonical URL of the resource below the service root, keys in parentheses: `Books(201)/author`. */
  readonly url: string;
}

/** One of several entity sets that a resource spans. */
interface SpannedSet {
  /** Its name in URLs. */
  readonly name: string;
  readonly entity: LinkedEntity;
  /** What its rows hold; undefined where pairs hold keys only. */
  readonly shape?: ResultShape;
}

/** One of the sets of `$all`; `Q` is the form of the query. */
export interface ReadSet<Q = SelectQuery> extends SpannedSet {
  /** Reads its rows. */
  readonly query: Q;
}

/** One of the sets of `$crossjoin`. */
export interface JoinedSet extends SpannedSet {
  /** What the names of its columns start with. */
  readonly prefix: string;
}

/** Entities that groups are related to, which are read by the keys in the groups; `Q` is the form of the query. */
export interface GroupExpand<Q = SelectQuery> {
  /** The navigation property. */
  readonly name: string;
  /** Reads the related entities, whichever they are. */
  readonly query: Q;
  /** Columns of the groups, and the properties of the related entity that have the same values. */
  readonly keys: readonly GroupKey[];
}

/** Part of the key of a related entity. */
export interface GroupKey {
  /** The column of the groups. */
  readonly column: string;
  /** The property of the related entity. */
  readonly target: string;
  /** The sequences of `concat`, by the number in `$part`, whose groups have it; all without. */
  readonly parts?: ReadonlySet<number>;
}

/** One of several queries whose rows make the answer; `Q` is its form. */
export interface PlanPart<Q = SelectQuery> {
  readonly query: Q;
  readonly shape?: ResultShape;
  /** The property of the one row of the answer that holds the rows: `nest` in `$apply`. */
  readonly alias?: string;
}

/** The last navigation step of a path. */
export interface NavigationStep {
  /** The entity it starts at. */
  readonly source: LinkedEntity;
  readonly element: LinkedElement;
  /** The instance it starts at, with values: `{ref: [{id, where}]}`. */
  readonly subject: RefExpression;
  /** Whether a key behind it picks one of many. */
  readonly keyed: boolean;
}

/** A property at the end of a path. */
export interface PropertyStep {
  /** Flat name of the property in rows. */
  readonly name: string;
  readonly element: LinkedElement;
  /** The flat element; undefined for structures and for steps inside the members of collections. */
  readonly flat?: FlatElement;
  /** The flat elements of a structure that rows hold flat. */
  readonly leaves?: readonly FlatElement[];
  /** Steps of their paths that lead to the structure. */
  readonly depth?: number;
  /** The way to the element from the value in rows: positions of members, from the end if negative, and names. */
  readonly inside?: readonly (number | string)[];
}

/**
 * Whether a property is a collection of values that rows hold as it is.
 *
 * @param property the property
 */
export function isValueCollection({ element, flat, inside }: PropertyStep): boolean {
  return flat !== undefined && inside === undefined && element.$type.items !== undefined;
}

/**
 * The keys of the addressed entity as its URL holds them; none where the path leads to it without them.
 *
 * @param plan the plan of an entity
 */
export function keysOfUrl({ navigation, singleton, addressed }: EntityPlan): Row {
  const isKeyed = navigation ? navigation.keyed : !singleton;
  return isKeyed ? { ...addressed.params.at(-1) } : {};
}

/** What an operation is called on: one instance, a collection, or each member of a collection. */
export type OperationBinding = "entity" | "collection" | "each";

/** A call of an action or function. */
export interface OperationCall {
  readonly definition: LinkedOperation;
  /** What it is bound to; undefined for unbound operations. */
  readonly binding?: OperationBinding;
  /** Arguments of a function from the URL, converted to the types of the parameters; empty for actions. */
  readonly args: Readonly<Row>;
  /** What query options make of the result; undefined without them. */
  readonly result?: ResultPlan;
}

/** What query options make of the rows that an operation returns; `Q` is the form of the query. */
export interface ResultPlan<Q = SelectQuery> {
  /** What the rows hold; undefined for values that are no entities. */
  readonly shape?: ResultShape;
  /** `$top` and `$skip`. */
  readonly paging: Paging;
  /** Reads the rows again from its parameter; undefined where they only have to be counted or cut. */
  readonly query?: Q;
  /** Names of the columns that rows get from the query. */
  readonly own: readonly string[];
  /** What is selected of values that are no entities, and computed beside their members. */
  readonly values?: MemberShape;
}

/** A term of an order whose values tell where a page ends. */
export interface KeysetTerm {
  readonly type: ValueType;
  readonly desc: boolean;
  readonly nullable: boolean;
  /** The property of the rows that holds the value; undefined where none does. */
  readonly name?: string;
}

/** The page of a collection. */
export interface Paging {
  /** Rows to leave out: those of `$skip` and of `$skiptoken` together, none behind a row. */
  readonly offset: number;
  /** Rows asked of the database: the smaller of page size and what is left of `$top`. */
  readonly rows: number;
  /** Rows that the client still wants from here; undefined without `$top`. */
  readonly wanted?: number;
  /** Rows of former pages, as `$skiptoken` says. */
  readonly token: number;
  /** Rows that `$skip` leaves out before the first page. */
  readonly skip: number;
  /** The page lies behind the last row of the one before; `total` says how many rows all pages have, if asked for. */
  readonly behind?: { readonly total: number | undefined };
  /** The terms of the order, where pages can go on behind the last row of the one before. */
  readonly keyset?: readonly KeysetTerm[];
  /** Which terms of the order are numbers: rows may hold these as text. */
  readonly numeric?: readonly boolean[];
}
