/**
 * The query notation (CQN) and the expression notation (CXN) as types: plain, readonly, JSON-like data.
 *
 * @module
 */

/** A value that a literal or a parameter can hold. */
export type Scalar = string | number | bigint | boolean | null | Uint8Array | Date;

/** A literal. `literal` tells the type of a typed string: `date`, `time` or `timestamp`. */
export interface ValueExpression {
  readonly val: Scalar | readonly Scalar[];
  readonly literal?: string;
}

/** A step of a path: a name, or a name with infix filter, arguments and further clauses. */
export type RefStep = string | RefStepObject;

/** A path step that carries more than its name. */
export interface RefStepObject {
  readonly id: string;
  readonly where?: readonly Xo[];
  readonly args?: Readonly<Record<string, Expression>>;
  readonly groupBy?: readonly Expression[];
  readonly having?: readonly Xo[];
  readonly orderBy?: readonly OrderTerm[];
  readonly limit?: Limit;
  readonly cardinality?: { readonly max?: number | "*" };
}

/** An element or association path, or (with `param`) a parameter: `{ref: ["name"], param: true}`. */
export interface RefExpression {
  readonly ref: readonly RefStep[];
  readonly param?: boolean;
}

/** A function call; `args` is `["*"]` in `count(*)` and an object for named arguments. */
export interface FunctionExpression {
  readonly func: string;
  readonly args?: readonly (Expression | "*")[] | Readonly<Record<string, Expression>>;
  readonly xpr?: readonly Xo[];
}

/** A tuple, for example the right side of `in`. */
export interface ListExpression {
  readonly list: readonly Expression[];
}

/** Operands and lower-case operator strings in source order; parentheses are nested `xpr`. */
export interface XprExpression {
  readonly xpr: readonly Xo[];
}

/** An enum symbol, written `#name` in CDL. */
export interface EnumExpression {
  readonly "#": string;
}

/** Any expression (CXN). A `SelectQuery` in an expression is a subquery. */
export type Expression =
  | ValueExpression
  | RefExpression
  | FunctionExpression
  | ListExpression
  | XprExpression
  | EnumExpression
  | SelectQuery
  | SetQuery;

/** An operand or an operator string of a flat expression array. */
export type Xo = Expression | string;

/** The type given to a column by a cast. */
export interface CastType {
  readonly type?: string | { readonly ref: readonly string[] };
  readonly length?: number;
  readonly precision?: number;
  readonly scale?: number | string;
  readonly target?: string;
  readonly items?: unknown;
  readonly enum?: unknown;
}

/** What any column may carry besides its expression. */
export interface ColumnProperties {
  readonly as?: string;
  readonly cast?: CastType;
  readonly key?: boolean;
  readonly virtual?: boolean;
}

/**
 * A column with nested result (`expand`) or flattened paths (`inline`). The further clauses belong to the nested
 * result of an `expand` over a to-many association; `count` asks for its number of rows, ignoring `limit`.
 */
export interface NestedColumn extends ColumnProperties {
  readonly ref?: readonly RefStep[];
  readonly expand?: readonly Column[];
  readonly inline?: readonly Column[];
  readonly excluding?: readonly string[];
  readonly where?: readonly Xo[];
  readonly search?: readonly Xo[];
  readonly orderBy?: readonly OrderTerm[];
  readonly limit?: Limit;
  readonly count?: boolean;
}

/** A column of a SELECT: `"*"`, an expression with properties, or a nested result. */
export type Column = "*" | (Expression & ColumnProperties) | NestedColumn;

/** An `orderBy` entry. */
export type OrderTerm = Expression & { readonly sort?: "asc" | "desc"; readonly nulls?: "first" | "last" };

/** `limit.rows` and `limit.offset`. */
export interface Limit {
  readonly rows?: ValueExpression | RefExpression;
  readonly offset?: ValueExpression | RefExpression;
}

/** What a SELECT reads from: an entity (path), a query or a join. */
export type Source =
  | (RefExpression & { readonly as?: string })
  | ((SelectQuery | SetQuery) & { readonly as?: string })
  | JoinSource;

/** A join of two or more sources. */
export interface JoinSource {
  readonly join: "inner" | "left" | "right" | "full" | "cross";
  readonly args: readonly Source[];
  readonly on?: readonly Xo[];
  readonly as?: string;
}

/** The body of a SELECT. */
export interface SelectBody {
  readonly from: Source;
  readonly columns?: readonly Column[];
  readonly excluding?: readonly string[];
  readonly mixin?: Readonly<Record<string, unknown>>;
  readonly distinct?: boolean;
  readonly one?: boolean;
  readonly where?: readonly Xo[];
  readonly groupBy?: readonly Expression[];
  readonly having?: readonly Xo[];
  readonly orderBy?: readonly OrderTerm[];
  readonly limit?: Limit;
  /** Ask for the number of rows that match, ignoring `limit`; the result array gets a `$count` property. */
  readonly count?: boolean;
  /** Search terms (`val`) with `and`, `or`, `not` and nested `xpr`, applied to the searchable elements. */
  readonly search?: readonly Xo[];
  /** Read localized elements in the locale of the context (`true` for requests of protocols). */
  readonly localized?: boolean;
  readonly forUpdate?: boolean | { readonly wait?: number };
  readonly forShareLock?: boolean | { readonly wait?: number };
}

/** SELECT. */
export interface SelectQuery {
  readonly SELECT: SelectBody;
}

/** UNION, INTERSECT or EXCEPT. */
export interface SetQuery {
  readonly SET: {
    readonly op: "union" | "intersect" | "except";
    readonly all?: boolean;
    readonly args: readonly (SelectQuery | SetQuery)[];
    readonly orderBy?: readonly OrderTerm[];
    readonly limit?: Limit;
  };
}

/** One row of data, possibly with nested rows along associations. */
export type Row = Record<string, unknown>;

/** The body of INSERT and UPSERT: `entries`, or `columns` with `values` or `rows`, or `from`. */
export interface InsertBody {
  readonly into: EntityRef;
  readonly entries?: readonly Row[];
  readonly columns?: readonly string[];
  readonly values?: readonly unknown[];
  readonly rows?: readonly (readonly unknown[])[];
  readonly from?: SelectQuery;
}

/** The entity a writing query addresses: its name or a path along associations with infix filters. */
export type EntityRef = string | (RefExpression & { readonly as?: string });

/** INSERT. */
export interface InsertQuery {
  readonly INSERT: InsertBody;
}

/** UPSERT: updates the rows that exist by key, inserts the others. */
export interface UpsertQuery {
  readonly UPSERT: InsertBody;
}

/** UPDATE; `data` holds plain values (maybe nested), `with` expressions by element. */
export interface UpdateQuery {
  readonly UPDATE: {
    readonly entity: EntityRef;
    readonly where?: readonly Xo[];
    readonly data?: Row;
    readonly with?: Readonly<Record<string, Expression>>;
  };
}

/** DELETE. */
export interface DeleteQuery {
  readonly DELETE: { readonly from: EntityRef; readonly where?: readonly Xo[] };
}

/** Any query. */
export type Query = SelectQuery | SetQuery | InsertQuery | UpsertQuery | UpdateQuery | DeleteQuery;

/** Values of the parameters of a query template by name (`{ref: ["name"], param: true}`). */
export type QueryParams = Readonly<Record<string, unknown>>;
