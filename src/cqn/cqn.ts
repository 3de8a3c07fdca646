/**
 * The query notation (CQN) and the expression notation (CXN) as types: plain, readonly, JSON-like data.
 *
 * @module
 */

/** A value that a literal or a parameter can hold. */
export type Scalar = string | number | bigint | boolean | null | Uint8Array | Date;

/** A literal. `literal` tells the type of a typed string: `date`, `time` or `timestamp`. */
export interface ValueExpression {
  /** The value; a list for typed lists. */
  readonly val: Scalar | readonly Scalar[];
  /** `date`, `time` or `timestamp` for typed strings. */
  readonly literal?: string;
}

/** A step of a path: a name, or a name with infix filter, arguments and further clauses. */
export type RefStep = string | RefStepObject;

/** A path step that carries more than its name. */
export interface RefStepObject {
  /** Name of the element or entity. */
  readonly id: string;
  /** Name of the row that conditions further inside refer to it by. */
  readonly as?: string;
  /** Condition that rows must meet. */
  readonly where?: readonly Xo[];
  /** Arguments. */
  readonly args?: Readonly<Record<string, Expression>>;
  /** Expressions that form groups. */
  readonly groupBy?: readonly Expression[];
  /** Condition that groups must meet. */
  readonly having?: readonly Xo[];
  /** Order of the rows. */
  readonly orderBy?: readonly OrderTerm[];
  /** Page of the rows. */
  readonly limit?: Limit;
  /** A JSON array of the rows that are read in place of those of the entity, as text; of any values with `$rows`. */
  readonly rows?: Expression;
  /** The query that is read in place of that of a view; it has the same columns. */
  readonly query?: SelectQuery | SetQuery;
  /** The rows of this step count whether they are valid or not. */
  readonly history?: boolean;
  /** How many rows stand on each side. */
  readonly cardinality?: { readonly max?: number | "*" };
}

/** An element or association path, or (with `param`) a parameter: `{ref: ["name"], param: true}`. */
export interface RefExpression {
  /** The steps of the path. */
  readonly ref: readonly RefStep[];
  /** True for a parameter: the path is its name. */
  readonly param?: boolean;
}

/** A function call; `args` is `["*"]` in `count(*)` and an object for named arguments. */
export interface FunctionExpression {
  /** Name of the function. */
  readonly func: string;
  /** Arguments. */
  readonly args?: readonly (Expression | "*")[] | Readonly<Record<string, Expression>>;
  /** Operands and operators in source order. */
  readonly xpr?: readonly Xo[];
}

/** A tuple, for example the right side of `in`. */
export interface ListExpression {
  /** The entries. */
  readonly list: readonly Expression[];
}

/** Operands and lower-case operator strings in source order; parentheses are nested `xpr`. */
export interface XprExpression {
  /** Operands and operators in source order. */
  readonly xpr: readonly Xo[];
  /** With `false` names stand for the default texts, whatever the locale: what decides about rights does not change. */
  readonly localized?: false;
}

/** An enum symbol, written `#name` in CDL. */
export interface EnumExpression {
  /** The symbol. */
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
  /** Name of the type, or a reference to the type of an element. */
  readonly type?: string | { readonly ref: readonly string[] };
  /** Characters or bytes at most. */
  readonly length?: number;
  /** Digits in all. */
  readonly precision?: number;
  /** Digits behind the point. */
  readonly scale?: number | string;
  /** Name of the target entity. */
  readonly target?: string;
  /** Type of the members of an arrayed type. */
  readonly items?: unknown;
  /** Values by symbol. */
  readonly enum?: unknown;
}

/** What any column may carry besides its expression. */
export interface ColumnProperties {
  /** Name of the result. */
  readonly as?: string;
  /** Type of the result. */
  readonly cast?: CastType;
  /** Whether it is part of the key. */
  readonly key?: boolean;
  /** Whether it has no column. */
  readonly virtual?: boolean;
}

/**
 * A column with nested result (`expand`) or flattened paths (`inline`). The further clauses belong to the nested
 * result of an `expand` over a to-many association; `count` asks for its number of rows, ignoring `limit`.
 */
export interface NestedColumn extends ColumnProperties {
  /** The steps of the path. */
  readonly ref?: readonly RefStep[];
  /** Columns of the nested result. */
  readonly expand?: readonly Column[];
  /** Columns that are flattened into the result. */
  readonly inline?: readonly Column[];
  /** Names left out of `*`. */
  readonly excluding?: readonly string[];
  /** Condition that rows must meet. */
  readonly where?: readonly Xo[];
  /** Terms the rows must hold. */
  readonly search?: readonly Xo[];
  /** Order of the rows. */
  readonly orderBy?: readonly OrderTerm[];
  /** Page of the rows. */
  readonly limit?: Limit;
  /** Whether the number of rows is asked for, whatever the limit. */
  readonly count?: boolean;
  /** When the rows have to be valid, in place of the time of the request. */
  readonly validity?: NestedValidity;
  /** The query whose rows are the nested result, in place of those of the path and the members above. */
  readonly query?: SelectQuery;
}

/** A period that rows are valid in. */
export interface NestedValidity {
  /** The first instant. */
  readonly from: NestedInstant;
  /** The first instant behind it. */
  readonly to: NestedInstant;
}

/** An instant as text, value or parameter, in the forms that elements have. */
export interface NestedInstant {
  /** With milliseconds. */
  readonly exact: Expression;
  /** In whole seconds. */
  readonly seconds: Expression;
  /** The day. */
  readonly days: Expression;
}

/** A column of a SELECT: `"*"`, an expression with properties, or a nested result. */
export type Column = "*" | (Expression & ColumnProperties) | NestedColumn;

/** An `orderBy` entry. */
export type OrderTerm = Expression & { readonly sort?: "asc" | "desc"; readonly nulls?: "first" | "last" };

/** `limit.rows` and `limit.offset`. */
export interface Limit {
  /** How many rows at most. */
  readonly rows?: ValueExpression | RefExpression;
  /** How many rows are passed over. */
  readonly offset?: ValueExpression | RefExpression;
}

/** What a SELECT reads from: an entity (path), a query or a join. */
export type Source =
  | (RefExpression & { readonly as?: string })
  | ((SelectQuery | SetQuery) & { readonly as?: string })
  | JoinSource;

/** A join of two or more sources. */
export interface JoinSource {
  /** Kind of the join. */
  readonly join: "inner" | "left" | "right" | "full" | "cross";
  /** Arguments. */
  readonly args: readonly Source[];
  /** Condition of the association or join. */
  readonly on?: readonly Xo[];
  /** Name of the result. */
  readonly as?: string;
}

/** The body of a SELECT. */
export interface SelectBody {
  /** What is read. */
  readonly from: Source;
  /** What is selected; everything without it. */
  readonly columns?: readonly Column[];
  /** Names left out of `*`. */
  readonly excluding?: readonly string[];
  /** Associations added for this query only. */
  readonly mixin?: Readonly<Record<string, unknown>>;
  /** Whether equal rows are left out. */
  readonly distinct?: boolean;
  /** Whether one row is wanted instead of a list. */
  readonly one?: boolean;
  /** Condition that rows must meet. */
  readonly where?: readonly Xo[];
  /** Expressions that form groups. */
  readonly groupBy?: readonly Expression[];
  /** Condition that groups must meet. */
  readonly having?: readonly Xo[];
  /** Order of the rows. */
  readonly orderBy?: readonly OrderTerm[];
  /** Page of the rows. */
  readonly limit?: Limit;
  /** Ask for the number of rows that match, ignoring `limit`; the result array gets a `$count` property. */
  readonly count?: boolean;
  /** Search terms (`val`) with `and`, `or`, `not` and nested `xpr`, applied to the searchable elements. */
  readonly search?: readonly Xo[];
  /** Hints for the optimizer of a database. */
  readonly hints?: readonly string[];
  /** Read localized elements in the locale of the context (`true` for requests of protocols). */
  readonly localized?: boolean;
  /** Refuse more than one answer may hold (`true` for requests of protocols). */
  readonly bounded?: boolean;
  /** Give bytes as code takes them; without a list of columns, or by `*`, without large ones. */
  readonly asBytes?: boolean;
  /** When rows of temporal entities have to be valid, in place of the time of the context. */
  readonly validity?: NestedValidity;
  /** Read all slices of temporal entities, not just those valid at the time of the context. */
  readonly history?: boolean;
  /** Locks the rows for writing; seconds to wait. */
  readonly forUpdate?: boolean | { readonly wait?: number };
  /** Locks the rows against writing; seconds to wait. */
  readonly forShareLock?: boolean | { readonly wait?: number };
}

/** SELECT. */
export interface SelectQuery {
  /** The body of the query. */
  readonly SELECT: SelectBody;
}

/** UNION, INTERSECT or EXCEPT. */
export interface SetQuery {
  /** The operation and its queries. */
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
  /** Where the rows go. */
  readonly into: EntityRef;
  /** Rows as objects. */
  readonly entries?: readonly Row[];
  /** Names of what `values` and `rows` hold, or what `from` selects, in this order. */
  readonly columns?: readonly string[];
  /** One row in the order of `columns`. */
  readonly values?: readonly unknown[];
  /** Rows in the order of `columns`. */
  readonly rows?: readonly (readonly unknown[])[];
  /** The query whose rows are written. */
  readonly from?: SelectQuery;
}

/** What an INSERT gives: iterates over the keys of the new rows, its `valueOf()` is the number of rows. */
export interface InsertResult extends Iterable<Row> {
  /** The number of rows written. */
  readonly affectedRows: number;
  /** The same as `affectedRows`. */
  readonly affected: number;
  /** The number of rows written. */
  valueOf(): number;
}

/** The entity a writing query addresses: its name or a path along associations with infix filters. */
export type EntityRef = string | (RefExpression & { readonly as?: string });

/** INSERT. */
export interface InsertQuery {
  /** The body of the query. */
  readonly INSERT: InsertBody;
}

/** UPSERT: updates the rows that exist by key, inserts the others. */
export interface UpsertQuery {
  /** The body of the query. */
  readonly UPSERT: InsertBody;
}

/** UPDATE; `data` holds plain values (maybe nested), `with` expressions by element. */
export interface UpdateQuery {
  /** The body of the query. */
  readonly UPDATE: {
    readonly entity: EntityRef;
    readonly where?: readonly Xo[];
    readonly data?: Row;
    readonly with?: Readonly<Record<string, Expression>>;
  };
}

/** DELETE. */
export interface DeleteQuery {
  /** The body of the query. */
  readonly DELETE: { readonly from: EntityRef; readonly where?: readonly Xo[] };
}

/** Any query. */
export type Query = SelectQuery | SetQuery | InsertQuery | UpsertQuery | UpdateQuery | DeleteQuery;

/** Values of the parameters of a query template by name (`{ref: ["name"], param: true}`). */
export type QueryParams = Readonly<Record<string, unknown>>;

/** Creates the table or view of an entity: of one of the model by its name, or of a definition made by hand. */
export interface CreateQuery {
  /** The entity, and maybe the query whose rows the table begins with. */
  readonly CREATE: {
    readonly entity: string | { readonly name: string };
    readonly as?: SelectQuery;
  };
}

/** Drops the table or view of an entity if it is there. */
export interface DropQuery {
  /** The entity, or the table or view by its name. */
  readonly DROP: {
    readonly entity?: string | { readonly name: string };
    readonly table?: RefExpression;
    readonly view?: RefExpression;
  };
}

/** What changes tables and views; only databases take it. */
export type SchemaQuery = CreateQuery | DropQuery;
