/**
 * Flat elements: structures flattened with `_`, foreign keys in place of managed associations.
 *
 * @module
 */

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
