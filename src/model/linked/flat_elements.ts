import type { FlatElement, LinkedElement } from "../linked.ts";

/**
 * The flat elements of an entity or structure in model order.
 *
 * @param elements linked elements
 * @param outer flat element of the structure around them
 */
export function* flatElements(
  elements: Iterable<LinkedElement>,
  outer?: Pick<FlatElement, "name" | "path" | "key" | "notNull" | "virtual">,
): Iterable<FlatElement> {
  for (const element of elements) {
    if (element.isAssociation) {
      for (const { element: flat } of element.$foreignKeys ?? []) {
        yield outer ? within(flat, outer) : flat;
      }
      continue;
    }
    const flat = flatElement(element, outer);
    const { elements: inner, builtin } = element.$type;
    if (inner && builtin === undefined) yield* flatElements(inner, flat);
    else yield flat;
  }
}

/**
 * The flat form of one element; of a structure the part that its elements build on.
 *
 * @param element the element
 * @param outer flat element of the structure around it
 */
export function flatElement(
  element: LinkedElement,
  outer: Pick<FlatElement, "name" | "path" | "key" | "notNull" | "virtual"> | undefined,
): FlatElement {
  return Object.freeze({
    name: outer ? `${outer.name}_${element.name}` : element.name,
    path: outer ? [...outer.path, element.name] : [element.name],
    element,
    type: element.$type,
    key: element.key === true || outer?.key === true,
    notNull: element.notNull === true || element.key === true || outer?.key === true,
    virtual: element.virtual === true || outer?.virtual === true,
    annotated: element,
  });
}

function within(flat: FlatElement, outer: Pick<FlatElement, "key" | "virtual">): FlatElement {
  if (!outer.key && !outer.virtual) return flat;
  return Object.freeze({ ...flat, key: flat.key || outer.key, virtual: flat.virtual || outer.virtual });
}

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
