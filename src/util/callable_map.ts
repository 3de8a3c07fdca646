/**
 * Named things that can also be asked for by calling.
 *
 * @module
 */

/** Values by name, iterable over the values, and a function. */
export type CallableMap<T, A, R> = Readonly<Record<string, T>> & Iterable<T> & ((argument?: A) => R);

/**
 * A function that carries named values as its only properties.
 *
 * @param values the values by name
 * @param call what calling it does
 */
export function callableMap<T, A, R>(
  values: Readonly<Record<string, T>>,
  call: (argument?: A) => R,
): CallableMap<T, A, R> {
  const map = (argument?: A) => call(argument);
  // Members of functions (`call`, `name`, …) must not hide or pretend to be values.
  Object.setPrototypeOf(map, null);
  for (const own of ["name", "length"]) delete (map as unknown as Record<string, unknown>)[own];
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(map, name, { value, enumerable: true, configurable: true });
  }
  Object.defineProperty(map, Symbol.iterator, { value: () => Object.values(values)[Symbol.iterator]() });
  return map as unknown as CallableMap<T, A, R>;
}
