import type { FlatElement, LinkedElement, LinkedEntity } from "./linked.ts";
import type { Csn, CsnElement } from "./csn.ts";

/** A structured element that stays nested. */
export interface NestedStructure {
  readonly element: LinkedElement;
  /**
   * Its flat elements; the first step of their paths is the name of the element. Foreign keys are members beside the
   * association (`["home", "country_code"]`), as in the complex type of `$metadata`.
   */
  readonly leaves: readonly FlatElement[];
}

const kept: WeakMap<LinkedEntity, ReadonlyMap<string, NestedStructure>> = new WeakMap();

/**
 * The structures of an entity that stay nested, by name.
 *
 * @param entity the entity
 */
export function nestedStructures(entity: LinkedEntity): ReadonlyMap<string, NestedStructure> {
  let found = kept.get(entity);
  if (!found) {
    const all = new Map<string, NestedStructure>();
    for (const element of entity.elements) {
      if (element["@odata.nested"] !== true || element.isAssociation || !element.$type.elements) continue;
      const leaves = [...entity.$flat.values()].filter(({ path }) => path[0] === element.name)
        .map((flat) => asMember(flat, element));
      all.set(element.name, { element, leaves });
    }
    kept.set(entity, found = all);
  }
  return found;
}

/** A flat element with the path that it has in payloads. */
function asMember(flat: FlatElement, structure: LinkedElement): FlatElement {
  if (flat.foreignKey4 === undefined) return flat;
  let depth = 1;
  for (let at = structure.$type.elements?.[flat.path[1]!]; at && !at.isAssociation; depth++) {
    at = at.$type.elements?.[flat.path[depth + 1]!];
  }
  return { ...flat, path: [...flat.path.slice(0, depth), flat.path.slice(depth).join("_")] };
}

/**
 * The structure that a flat element is part of.
 *
 * @param entity the entity
 * @param flat one of its flat elements
 * @returns undefined where it is a property of its own
 */
export function structureOf(entity: LinkedEntity, flat: FlatElement): NestedStructure | undefined {
  return flat.path.length > 1 ? nestedStructures(entity).get(flat.path[0]!) : undefined;
}

/**
 * The names of the members of a structure, or of one inside of it.
 *
 * @param leaves its flat elements
 * @param depth steps of their paths that lead to it
 */
export function memberNames(leaves: readonly FlatElement[], depth: number): readonly string[] {
  return [...new Set(leaves.flatMap(({ path }) => path.slice(depth, depth + 1)))];
}

/**
 * The flat elements that a path of names leads to: one, or those of a structure inside.
 *
 * @param structure a nested structure
 * @param path names behind that of the structure
 */
export function leavesAt(structure: NestedStructure, path: readonly string[]): readonly FlatElement[] {
  return structure.leaves.filter((leaf) => path.every((name, index) => leaf.path[index + 1] === name));
}

type Elements = Readonly<Record<string, CsnElement>>;

/**
 * A model in which every structured element stays nested in OData, but for keys and those annotated
 * `@odata.nested: false`.
 *
 * @param csn a parsed or inferred model; it is not changed
 */
export function withNestedStructures(csn: Csn): Csn {
  const nestedIn = <T extends { readonly elements?: Elements }>(definition: T): T => {
    const { elements } = definition;
    if (!elements) return definition;
    const nested = Object.entries(elements).map(([name, element]) =>
      [name, isOpen(csn, element) ? copyOf(element, { "@odata.nested": true }) : element] as const
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
