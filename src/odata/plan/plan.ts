/**
 * What a URL means for a service: the resource addressed, the query that reads it, and all a protocol adapter needs
 * to run the request and to write the answer.
 *
 * @module
 */

import type { QueryParams, RefExpression, Row, SelectQuery } from "../../cqn/cqn.ts";
import type { ValueType } from "./expressions/literal_values.ts";
import type { DerivedCast } from "./service_index.ts";
import type {
  FlatElement,
  LinkedElement,
  LinkedEntity,
  LinkedOperation,
  ResolvedType,
} from "../../model/linked.ts";

/**
 * What is addressed:
 * - `serviceDocument`, `metadata`, `openapi`, `batch`: the resources of the service itself
 * - `entitySet`: a collection of entities (a set or a to-many navigation); `entity`: one entity (by key, to-one
 *   navigation, ordinal or singleton); which way it was reached is in `navigation` and `singleton`
 * - `count`: `/$count` of a collection of entities or of values, a number as text
 * - `property`: a primitive, complex or collection-valued property; `value`: its `/$value`
 * - `stream`: a stream property (with or without `/$value`); `media`: `/$value` of an entity without stream
 * - `ref`: `/$ref` of an entity or a collection
 * - `each`: `/$each`, the members of a collection one by one
 * - `operation`: an action or function
 * - `all`: the entities of all sets; `crossjoin`: pairs of entities of several sets
 */
export type PlanKind =
  | "serviceDocument"
  | "metadata"
  | "openapi"
  | "batch"
  | "entitySet"
  | "entity"
  | "count"
  | "property"
  | "value"
  | "stream"
  | "media"
  | "ref"
  | "each"
  | "operation"
  | "all"
  | "crossjoin";

/** What a URL means. Plans are frozen; several requests share one `query`, `from` and `shape`. */
export interface Plan {
  readonly kind: PlanKind;
  /** Whether the answer is a collection. */
  readonly collection: boolean;
  /** The last entity of the path; undefined for the service's own resources and unbound operations (spec 2.3). */
  readonly target?: LinkedEntity;
  /** The stream is that of a media entity. */
  readonly media?: boolean;
  /** What the service is asked for, where it has other rows than clients see. */
  readonly rows?: RowsAsked;
  /** The derived type that the path asks for. */
  readonly cast?: DerivedCast;
  /** The path names a singleton and nothing behind it. */
  readonly singleton: boolean;
  /** Canonical path with navigation: `CatalogService.Books/author` (spec 2.3); empty without entity. */
  readonly path: string;
  /** What the path addresses, with values. */
  readonly addressed: Addressed;
  /** The `subject` of what is addressed, as template: values are the parameters in `queryParams`; its identity is stable for a URL shape. */
  readonly from?: RefExpression;
  /** The last navigation of the path, if the resource was reached by one. */
  readonly navigation?: NavigationStep;
  /** The property, for `property`, `value`, `stream`, and `count` of a collection of values. */
  readonly property?: PropertyStep;
  /** Where a value is inserted in a collection of values; from the end if negative. */
  readonly index?: number;
  /** The call, for `operation`. */
  readonly operation?: OperationCall;
  /** The number of segments that call the function whose result the path goes on behind. */
  readonly source?: number;
  /**
   * Frozen template that reads the resource with all options applied (`one` for single results); of a bound
   * operation the query on what it is bound to; undefined for unbound operations and the service's own resources.
   * For `count` it selects one row with the column `$count`. For methods that write it serves the read-back.
   */
  readonly query?: SelectQuery;
  /** The sequences of `concat` in `$apply`, one behind the other in the answer; `query` is the first. */
  readonly parts?: readonly PlanPart[];
  /** Nodes that have to be found before the query runs, in this order. */
  readonly hierarchies?: readonly HierarchyStep[];
  /** Functions in expressions, called before the query runs. */
  readonly calls?: readonly FunctionStep[];
  /** Entities that the groups of `$apply` are related to. */
  readonly groups?: readonly GroupExpand[];
  /** The sets of `all` with their queries, those of `crossjoin` with the names of their columns in `query`. */
  readonly sets?: readonly PlanSet[];
  /** Values of the parameters of `query` and `from`. */
  readonly queryParams: QueryParams;
  /** What the rows of the answer hold, for payload and context URL. */
  readonly shape?: ResultShape;
  /** `$count=true`. */
  readonly count: boolean;
  /** Paging of a collection of entities. */
  readonly paging?: Paging;
  /** The terms of its order, where pages can go on behind the last row of the one before. */
  readonly keyset?: readonly KeysetTerm[];
  /** `$format`, decoded. */
  readonly format?: string;
  readonly schemaversion?: string;
  readonly deltatoken?: string;
  /** Options that the standard does not define, decoded. */
  readonly custom: Readonly<Record<string, string>>;
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
  /** The instances (spec 2.3): `{ref: [{id, where}, "author"]}`; undefined where the path leads to no entities. */
  readonly subject: RefExpression | undefined;
  /** The canonical URL of the resource below the service root, keys in parentheses: `Books(201)/author`. */
  readonly url: string;
}

/** One of several entity sets that a resource spans. */
export interface PlanSet {
  /** Its name in URLs. */
  readonly name: string;
  readonly entity: LinkedEntity;
  /** Reads its rows, for `all`. */
  readonly query?: SelectQuery;
  /** What the names of its columns start with, for `crossjoin`. */
  readonly prefix?: string;
  /** What its rows hold; undefined where pairs hold keys only. */
  readonly shape?: ResultShape;
}

/** Nodes below which other levels are shown than below all. */
export interface LevelChanges {
  /** How many levels are shown below a node: null for all, 0 for none. */
  readonly levels: readonly { readonly node: string; readonly below: number | null }[];
  /** Nodes that are shown with all above them. */
  readonly shown: readonly string[];
}

/** Nodes of a hierarchy that queries have as parameter. */
export interface HierarchyStep {
  /** With `pairs` the parameter has JSON text: each node beside each one below it. */
  readonly name: "ancestors" | "descendants" | "traverse" | "topLevels" | "pairs";
  /** The parameter with the keys; with `_order` behind it the parameter with all of them as text, in order. */
  readonly param: string;
  /** Gives the columns `node` and `parent`, siblings in order. */
  readonly nodes: SelectQuery;
  /** Gives the column `node`: where `ancestors` and `descendants` start. */
  readonly start?: SelectQuery;
  /** Steps from the start at most. */
  readonly distance?: number;
  /** The start is kept, too. */
  readonly keepStart?: boolean;
  readonly order?: "preorder" | "postorder";
  /** How many levels `topLevels` shows; undefined for all. */
  readonly levels?: number | undefined;
  /** Where `topLevels` shows more or less. */
  readonly changes?: LevelChanges;
  /** Gives the nodes before, as `nodes` does: the query has what is so of each node as text, with `_facts` behind the name. */
  readonly members?: SelectQuery;
  /** Stands around each node in the text. */
  readonly separator: string;
  /** Stands between nodes, in hierarchies whose nodes the query has beside each other. */
  readonly beside?: string;
}

/** The call of a function whose result a query has as parameter: a value, or JSON text. */
export interface FunctionStep {
  readonly param: string;
  readonly definition: LinkedOperation;
  readonly args: Readonly<Row>;
  /** The rows that the function is called for, where it is called for several: the parameter has the results in JSON. */
  readonly rows?: RowCall;
}

/** The rows that a function is called for. */
export interface RowCall {
  /**
   * Gives the columns `key_…` and `arg_…` with what the function gets, and `name_0`, `name_1`, …: the names that lead to
   * the result in JSON.
   */
  readonly query: SelectQuery;
  /** What the function is bound to; undefined for unbound ones. */
  readonly entity?: LinkedEntity;
  /** Names of its keys. */
  readonly keys: readonly string[];
  /** Names of parameters that rows have values for. */
  readonly args: readonly string[];
}

/** Entities that groups are related to, which are read by the keys in the groups. */
export interface GroupExpand {
  /** The navigation property. */
  readonly name: string;
  /** Reads the related entities, whichever they are. */
  readonly query: SelectQuery;
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

/** One of several queries whose rows make the answer. */
export interface PlanPart {
  readonly query: SelectQuery;
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
export function keysOfUrl({ navigation, singleton, addressed }: Plan): Row {
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

/** What query options make of the rows that an operation returns. */
export interface ResultPlan {
  /** Reads the rows again from its parameter; undefined where they only have to be counted or cut. */
  readonly query?: SelectQuery;
  /** Names of the columns that rows get from the query. */
  readonly own: readonly string[];
  /** What is selected of values that are no entities, and computed beside their members. */
  readonly values?: MemberShape;
}

/** What the rows of a result hold. */
export interface ResultShape {
  readonly entity?: LinkedEntity;
  /** Names of `$select` as written, computed ones and added keys included; undefined for all. */
  readonly select?: readonly string[];
  /** Navigation properties in `$select`. */
  readonly navigations?: readonly string[];
  /** What rows hold and payloads do not show: elements with the types of selected streams. */
  readonly hidden?: ReadonlySet<string>;
  readonly expand: readonly ExpandShape[];
  /** Names of `$compute`. */
  readonly computed: readonly string[];
  /** Types of computed values that rows hold in another form than payloads. */
  readonly types?: ReadonlyMap<string, ResolvedType>;
  /** What is selected of structured properties and collections, by name. */
  readonly members?: ReadonlyMap<string, MemberShape>;
  /** Result of `$apply`: the rows hold exactly these; no keys, no control information. */
  readonly aggregated?: readonly AggregatedProperty[];
}

/** What is selected of a structure, or of the members of a collection. */
export interface MemberShape {
  /** Names of properties, with what is selected of them; undefined for all. */
  readonly select?: ReadonlyMap<string, MemberShape>;
  /** `$count=true`: the number of members is beside them in the row. */
  readonly count?: boolean;
  /** Names of `$compute`, with the types of values that rows hold in another form than payloads. */
  readonly computed?: ReadonlyMap<string, ResolvedType | undefined>;
}

/** A property of a row that `$apply` made. */
export interface AggregatedProperty {
  /** Name of the column in rows. */
  readonly name: string;
  /** Path in the payload: `["author", "name"]` is nested. */
  readonly path: readonly string[];
  /** The element that gives the type, for grouped properties, `min` and `max`. */
  readonly element?: LinkedElement;
  /** The sequences of `concat` whose rows have the property, by the number in `$part`; all without. */
  readonly parts?: ReadonlySet<number>;
  /** What of its path may be null as a whole. */
  readonly wholes?: readonly WholePart[];
  /** The rows that have it: those with one of the values, of derived types. */
  readonly only?: { readonly column: string; readonly values: readonly string[] };
}

/** A structure, or a related instance, beside the properties of a row: null where all its columns are. */
export interface WholePart {
  /** Names of the path that lead to it. */
  readonly depth: number;
  readonly columns: readonly string[];
}

/** One expanded navigation property. */
export interface ExpandShape {
  /** Behind a type cast: only rows with these values of the discriminator show it. */
  readonly cast?: readonly string[];
  readonly name: string;
  readonly element: LinkedElement;
  readonly shape: ResultShape;
  /** `$count=true` or `/$count`: the number of rows is on the array as `$count`. */
  readonly count: boolean;
  /** `/$ref`: references only. */
  readonly ref: boolean;
  /** `/$count`: the number only. */
  readonly countOnly: boolean;
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
}
