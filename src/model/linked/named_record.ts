/**
 * Records that can be iterated: `elements.title` and `for (const element of elements)`.
 *
 * @module
 */

/** Values by name, iterable over the values. */
export type NamedRecord<T> = Readonly<Record<string, T>> & Iterable<T>;

/** The values of a record in a list: every request iterates over some. */
const VALUES = Symbol("values");

/** No prototype above it, so that no element name collides with a member of `Object.prototype`. */
const ITERABLE: object = Object.freeze(Object.assign(Object.create(null), {
  [Symbol.iterator](this: { readonly [VALUES]: readonly unknown[] }): Iterator<unknown> {
    return this[VALUES][Symbol.iterator]();
  },
}));

/**
 * A frozen record with an iterator on its prototype.
 *
 * @typeParam T type of the values
 * @param entries names and values in order
 */
export function namedRecord<T>(entries: Iterable<readonly [string, T]>): NamedRecord<T> {
  const record = Object.create(ITERABLE) as Record<string, T>;
  for (const [name, value] of entries) record[name] = value;
  Object.defineProperty(record, VALUES, { value: Object.values(record) });
  return Object.freeze(record) as NamedRecord<T>; // the iterator is on the prototype
}
