/**
 * Names of definitions that carry types: what `fw compile --to types` writes, and what queries, handlers and calls
 * infer theirs from. At run time they are plain objects with a name.
 *
 * @module
 */

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
