/**
 * Queries and expressions as typed trees. CQN is what users and handlers see; inside, `from_cqn.ts` has turned it into these
 * nodes, whose structure no longer depends on the precedence of operators. The words are those of CQN.
 *
 * @module
 */

import type { CastType, ColumnProperties, NestedColumn, Scalar, SelectBody, SetQuery } from "../cqn/cqn.ts";

/** What a value of a statement is compared with: it takes the form of it. */
export interface ComparedForm {
  /** The built-in type. */
  readonly type: string;
  /** Name of the element, where it is one. */
  readonly name?: string;
}

/** What is known of the value of an expression. */
export interface Known {
  /** The built-in type. */
  readonly type?: string;
  /** Whether it is never null. */
  readonly notNull?: boolean;
  /** A whole number that counts with 64 bits, also where a database has smaller ones. */
  readonly wide?: boolean;
}

/** A value that stands in the query. `literal` tells the type of a typed string, or how it is written. */
export interface Literal extends Known {
  readonly kind: "literal";
  readonly val: Scalar | readonly Scalar[];
  readonly literal?: string;
}

/** A value that is given with the query. */
export interface Parameter extends Known {
  readonly kind: "parameter";
  readonly name: string;
  readonly form?: ComparedForm;
}

/** A value of the request: `$now`, `$user.id`, and parameters of views. */
export interface Variable extends Known {
  readonly kind: "variable";
  readonly path: readonly string[];
  readonly form?: ComparedForm;
}

/** A path; lowered, an alias and a column. */
export interface Reference extends Known {
  readonly kind: "reference";
  readonly ref: readonly TreeStep[];
}

/** An enum symbol, which stands for a value of the element beside it. */
export interface EnumSymbol extends Known {
  readonly kind: "symbol";
  readonly symbol: string;
}

/** `not` and the sign. */
export interface Unary extends Known {
  readonly kind: "unary";
  readonly op: "-" | "not";
  readonly arg: Expr;
}

/** Operators that calculate. */
export type ArithmeticOperator = "+" | "-" | "*" | "/";
/** Operators that compare; `==`, `!=`, `is` and `is not` take null for a value. */
export type ComparisonOperator = "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=" | "is" | "is not";

/** A calculation. */
export interface Arithmetic extends Known {
  readonly kind: "arithmetic";
  readonly op: ArithmeticOperator;
  readonly left: Expr;
  readonly right: Expr;
}

/** A comparison. */
export interface Comparison extends Known {
  readonly kind: "comparison";
  readonly op: ComparisonOperator;
  readonly left: Expr;
  readonly right: Expr;
}

/** Conditions joined by `and` or `or`, texts joined by `||`: two or more. */
export interface Joined extends Known {
  readonly kind: "joined";
  readonly op: "and" | "or" | "||";
  readonly args: readonly Expr[];
}

/** `in`: membership in a list, in the rows of a query, or in the values that `$values` gathers. */
export interface Membership extends Known {
  readonly kind: "in";
  readonly left: Expr;
  readonly right: Expr;
  readonly negated: boolean;
}

/** `like` with an escape, if there is one. */
export interface Like extends Known {
  readonly kind: "like";
  readonly left: Expr;
  readonly pattern: Expr;
  readonly escape?: Expr;
  readonly negated: boolean;
}

/** `between`. */
export interface Between extends Known {
  readonly kind: "between";
  readonly left: Expr;
  readonly low: Expr;
  readonly high: Expr;
  readonly negated: boolean;
}

/** A branch of a case. */
export interface Branch {
  readonly when: Expr;
  readonly then: Expr;
}

/** A case: of a value, or of conditions. */
export interface Case extends Known {
  readonly kind: "case";
  readonly subject?: Expr;
  readonly branches: readonly Branch[];
  readonly otherwise?: Expr;
}

/** An end of a window frame; without distance it is unbounded. */
export type FrameEnd =
  | { readonly end: "current" }
  | { readonly end: "preceding" | "following"; readonly distance?: Expr };

/** The rows around one. */
export interface WindowFrame {
  readonly measure: "rows" | "range";
  readonly from: FrameEnd;
  readonly to?: FrameEnd;
}

/** The rows that a function looks at. */
export interface Window {
  readonly partitionBy: readonly Expr[];
  readonly orderBy: readonly TreeOrder[];
  readonly frame?: WindowFrame;
}

/** A call. */
export interface Call extends Known {
  readonly kind: "call";
  /** The name as it is written; lowered, in lower case. */
  readonly func: string;
  /** `"*"` in `count(*)`; none where it is called without parentheses. */
  readonly args?: readonly (Expr | "*")[];
  /** Names of the arguments, where they have some. */
  readonly names?: readonly string[];
  /** Whether equal values count once. */
  readonly distinct?: boolean;
  /** The order in which an aggregate takes its values. */
  readonly orderBy?: readonly TreeOrder[];
  readonly over?: Window;
}

/** A value as one of another type. */
export interface Cast extends Known {
  readonly kind: "cast";
  readonly arg: Expr;
  readonly cast: CastType;
}

/** A tuple. */
export interface List extends Known {
  readonly kind: "list";
  readonly list: readonly Expr[];
}

/** Whether there are rows: along a path, or of a query. */
export interface Exists extends Known {
  readonly kind: "exists";
  readonly arg: Reference | TreeQuery;
}

/** A condition whose names stand for the default texts, whatever the locale. */
export interface Unlocalized extends Known {
  readonly kind: "unlocalized";
  readonly arg: Expr;
}

/** A SELECT; in an expression, a subquery. */
export interface TreeSelect extends Known {
  readonly kind: "select";
  readonly SELECT: TreeBody;
}

/** UNION, INTERSECT or EXCEPT. */
export interface TreeSet extends Known {
  readonly kind: "set";
  readonly SET: Omit<SetQuery["SET"], "args" | "orderBy" | "limit"> & {
    readonly args: readonly TreeQuery[];
    readonly orderBy?: readonly TreeOrder[];
    readonly limit?: TreeLimit;
  };
}

/** A query that reads. */
export type TreeQuery = TreeSelect | TreeSet;

/** Any expression. */
export type Expr =
  | Literal
  | Parameter
  | Variable
  | Reference
  | EnumSymbol
  | Unary
  | Arithmetic
  | Comparison
  | Joined
  | Membership
  | Like
  | Between
  | Case
  | Call
  | Cast
  | List
  | Exists
  | Unlocalized
  | TreeSelect
  | TreeSet;

/** A step of a path. */
export type TreeStep = string | TreeStepObject;

/** A path step that carries more than its name; the members are those of CQN. */
export interface TreeStepObject {
  readonly id: string;
  readonly as?: string;
  readonly where?: Expr;
  readonly args?: Readonly<Record<string, Expr>>;
  readonly groupBy?: readonly Expr[];
  readonly having?: Expr;
  readonly orderBy?: readonly TreeOrder[];
  readonly limit?: TreeLimit;
  readonly rows?: Expr;
  readonly query?: TreeQuery;
  readonly history?: boolean;
  readonly cardinality?: { readonly max?: number | "*" };
}

/** A term of an order. */
export type TreeOrder = Expr & {
  readonly sort?: "asc" | "desc";
  readonly nulls?: "first" | "last";
};

/** A page. */
export interface TreeLimit {
  readonly rows?: Expr;
  readonly offset?: Expr;
}

/** What a SELECT reads from. */
export type TreeSource =
  | (Reference & { readonly as?: string | undefined })
  | (TreeQuery & { readonly as?: string | undefined })
  | TreeJoin;

/** A join of two or more sources. */
export interface TreeJoin {
  readonly kind: "join";
  readonly join: "inner" | "left" | "right" | "full" | "cross";
  readonly args: readonly TreeSource[];
  readonly on?: Expr;
  readonly as?: string;
}

/** The name of a column, and what views declare of it. */
export type ColumnName = Omit<ColumnProperties, "cast">;

/** A column of a SELECT. */
export type TreeColumn = "*" | (Expr & ColumnName) | TreeNested;

/** An instant, in the forms that elements have. */
export interface TreeInstant {
  readonly exact: Expr;
  readonly seconds: Expr;
  readonly days: Expr;
}

/** A period that rows are valid in. */
export interface TreeValidity {
  readonly from: TreeInstant;
  readonly to: TreeInstant;
}

/** A column with nested result or flattened paths. */
export interface TreeNested extends
  Omit<
    NestedColumn,
    "ref" | "expand" | "inline" | "where" | "search" | "orderBy" | "limit" | "validity" | "query"
  > {
  readonly kind: "nested";
  readonly ref?: readonly TreeStep[];
  readonly expand?: readonly TreeColumn[];
  readonly inline?: readonly TreeColumn[];
  readonly where?: Expr;
  readonly search?: Expr;
  readonly orderBy?: readonly TreeOrder[];
  readonly limit?: TreeLimit;
  readonly validity?: TreeValidity;
  readonly query?: TreeSelect;
}

/** The body of a SELECT; clauses without expressions are those of CQN. */
export interface TreeBody extends
  Omit<
    SelectBody,
    | "from"
    | "columns"
    | "where"
    | "search"
    | "groupBy"
    | "having"
    | "orderBy"
    | "limit"
    | "validity"
    | "distinct"
  > {
  readonly from: TreeSource;
  readonly columns?: readonly TreeColumn[];
  readonly distinct?: boolean;
  readonly where?: Expr;
  /** Terms that the rows must hold, joined by `and` and `or`, or negated. */
  readonly search?: Expr;
  readonly groupBy?: readonly Expr[];
  readonly having?: Expr;
  readonly orderBy?: readonly TreeOrder[];
  readonly limit?: TreeLimit;
  readonly validity?: TreeValidity;
}
