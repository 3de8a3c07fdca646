import type { Row } from "./cqn.ts";

/** Marks a text that is more than the name of an element. */
export type TextMark =
  | " "
  | "."
  | ":"
  | "/"
  | "("
  | ","
  | "*"
  | "'"
  | "`"
  | "!"
  | "["
  | "$"
  | "#"
  | "{"
  | "\n";

/** A path through associations and structures: `author.name`. */
export type ElementPath = `${string}${"." | ":" | "/"}${string}`;

/** The names of elements; any where nothing is known of the rows. */
export type ElementName<T> = [keyof T] extends [never] ? string : keyof T & string;

/** A text as it is; `never` where it is the name of an element that rows do not have. */
export type CheckedText<T, C extends string> = string extends C ? C
  : C extends ElementName<T> | `${number}` | `${string}${TextMark}${string}` ? C
  : never;

/**
 * A condition by elements: values, or objects of operator and value; `and`, `or` and `not` hold conditions.
 *
 * @typeParam T rows
 */
export type ConditionOf<T> =
  & { readonly [K in ElementName<T>]?: unknown }
  & { readonly [path: ElementPath]: unknown }
  & {
    readonly and?: ConditionOf<T> | readonly ConditionOf<T>[];
    readonly or?: ConditionOf<T> | readonly ConditionOf<T>[];
    readonly not?: ConditionOf<T> | readonly ConditionOf<T>[];
    readonly exists?: unknown;
    readonly xpr?: unknown;
  };

/**
 * Columns as they are; `never` stands for the names that rows do not have.
 *
 * @typeParam T rows
 * @typeParam C columns
 */
export type CheckedColumns<T, C extends readonly unknown[]> = {
  readonly [I in keyof C]: C[I] extends readonly unknown[]
    ? { readonly [J in keyof C[I]]: CheckedColumn<T, C[I][J]> }
    : CheckedColumn<T, C[I]>;
};

/** A column as it is; `never` where it is the name of an element that rows do not have. */
export type CheckedColumn<T, C> = C extends string ? CheckedText<T, C> : C;

/** Names that columns have: `n` of `count(*) as n`, `author_name` of `author.name`. */
export type ColumnAlias<C> = C extends `${string} as ${infer A}` ? A
  : C extends `${infer P}.${infer N}` ? C extends `${string}${" " | "("}${string}` ? never : `${P}_${N}`
  : C extends { readonly as: infer A extends string } ? A
  : never;

/** Columns whose names nothing is known of: texts made at run time, lists in a text, templates, functions, objects. */
export type HasOpenNames<C> = C extends string
  ? string extends C ? true : C extends `${string}${"," | "{"}${string}` ? true : never
  : C extends { readonly as: string } | { readonly ref: unknown } ? never
  : true;

/**
 * What columns add to the names of a query: an order may use them.
 *
 * @typeParam C columns
 */
export interface NamedBy<C extends readonly unknown[]> {
  /** Stands for the names in types; there is no such member at run time. */
  readonly $names: [HasOpenNames<ColumnsIn<C>>] extends [never]
    ? Readonly<Record<ColumnAlias<ColumnsIn<C>>, unknown>>
    : Row;
}

/**
 * Names that the columns of a query have given.
 *
 * @typeParam B the query
 */
export type NamesOf<B> = B extends { readonly $names: infer N } ? N : unknown;

/** The columns of a list, and of lists in it. */
export type ColumnsIn<C extends readonly unknown[]> = {
  [I in keyof C]: C[I] extends readonly unknown[] ? C[I][number] : C[I];
}[number];

/** An order by elements: `{ title: "desc" }`. */
export type ElementOrder<T> = { readonly [K in ElementName<T>]?: "asc" | "desc" } & {
  readonly [path: ElementPath]: "asc" | "desc";
};

/** Expressions with an order, templates, and what else is no object of elements. */
export type OrderExpression =
  | { readonly ref: unknown }
  | { readonly val: unknown }
  | { readonly func: unknown }
  | { readonly xpr: unknown }
  | readonly unknown[];

/**
 * Terms of an order as they are; `never` stands for the names that rows do not have.
 *
 * @typeParam T rows
 * @typeParam C terms
 */
export type CheckedOrder<T, C extends readonly unknown[]> = {
  readonly [I in keyof C]: C[I] extends string
    ? C[I] extends `${infer N} ${"asc" | "desc"}` ? CheckedText<T, N> extends never ? never : C[I]
    : CheckedText<T, C[I]>
    : C[I] extends OrderExpression ? C[I]
    : C[I] extends object
      ? ElementOrder<T> & { readonly [K in Exclude<keyof C[I], ElementName<T> | ElementPath>]: never }
    : C[I];
};

/**
 * The name of an entity.
 *
 * @typeParam T its rows
 * @typeParam K its keys
 */
export interface EntityName<T extends object, K extends object = object> {
  /** The full name: `CatalogService.Books`. */
  readonly name: string;
  /** Stands for a row in types; there is no such member at run time. */
  readonly $row: T;
  /** Stands for its keys in types; there is no such member at run time. */
  readonly $keys: K;
}

/**
 * The name of an event, action or function.
 *
 * @typeParam D what it carries: the payload, or the parameters by name
 * @typeParam R what it returns
 */
export interface EventName<D, R = void> {
  /** The name, as handlers and calls use it. */
  readonly name: string;
  /** Stands for the data in types; there is no such member at run time. */
  readonly $data: D;
  /** Stands for the result in types; there is no such member at run time. */
  readonly $result: R;
}

/**
 * What rows are written from: elements may be missing, nested rows too.
 *
 * @typeParam T the rows as they are read
 */
export type Input<T> = { readonly [K in keyof T]?: InputValue<T[K]> };

/** What one value is written from: dates and bytes as such, too. */
export type InputValue<V> = V extends readonly (infer I)[] ? readonly InputValue<I>[]
  : V extends Uint8Array | Date ? V
  : V extends object ? Input<V>
  : V extends string ? V | Date | Uint8Array
  : V;

/** One row or several, as `R` has them. */
export type RowsLike<R, T> = R extends readonly unknown[] ? T[] : T | null;
