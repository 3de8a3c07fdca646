/**
 * Models whose structures stay nested in OData (`fw.odata.structs`).
 *
 * @module
 */

import type { Csn, CsnElement } from "./csn.ts";

type Elements = Readonly<Record<string, CsnElement>>;

/**
 * A model in which every structured element stays nested in OData, but for keys and those annotated
 * `@odata.nested: false`.
 *
 * @param csn a parsed or inferred model, or what is added to one; it is not changed
 * @param types where types are declared; default: the model itself
 */
export function withNestedStructures(csn: Csn, types: Csn = csn): Csn {
  const nestedIn = <T extends { readonly elements?: Elements }>(definition: T): T => {
    const { elements } = definition;
    if (!elements) return definition;
    const nested = Object.entries(elements).map(([name, element]) =>
      [name, isOpen(types, element) ? copyOf(element, { "@odata.nested": true }) : element] as const
    );
    return copyOf(definition, { elements: Object.fromEntries(nested) });
  };
  const definitions = Object.entries(csn.definitions ?? {}).map(([name, definition]) =>
    [name, nestedIn(definition)] as const
  );
  const extensions = csn.extensions?.map((extension) =>
    nestedIn(extension as typeof extension & { readonly elements?: Elements })
  );
  return copyOf(csn, {
    definitions: Object.fromEntries(definitions),
    ...(extensions && { extensions }),
  });
}

/** Whether an element is a structure of which nothing else is said. */
function isOpen(csn: Csn, element: CsnElement): boolean {
  return element["@odata.nested"] === undefined && element.key !== true &&
    isStructured(csn, element, new Set());
}

function isStructured(csn: Csn, { elements, type, target }: CsnElement, seen: Set<string>): boolean {
  if (target !== undefined) return false;
  if (elements !== undefined) return true;
  if (typeof type !== "string" || seen.has(type)) return false;
  seen.add(type);
  const definition = csn.definitions?.[type];
  return definition !== undefined && definition.kind !== "entity" &&
    definition["@odata.nested"] !== false && isStructured(csn, definition as CsnElement, seen);
}

/** A copy with members of its own; positions in sources are not enumerable. */
function copyOf<T extends object>(value: T, members: object): T {
  return Object.defineProperties({}, {
    ...Object.getOwnPropertyDescriptors(value),
    ...Object.getOwnPropertyDescriptors(members),
  }) as T; // all members of the one, some replaced
}
