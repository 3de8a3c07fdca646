/**
 * The elements that `$search` looks into: those of `@cds.search`, else all of type String; beside the latter the targets of
 * the associations that it names.
 *
 * @module
 */

import { isHidden } from "./edm_property.ts";
import { annotationsOf } from "./annotations_of.ts";
import type { FlatElement, LinkedEntity } from "./linked.ts";

/** Searching along associations ends here: `@cds.search` of targets may lead on. */
const MAX_DEPTH = 3;

/**
 * The searched elements of an entity as paths.
 *
 * @param entity the entity
 * @returns paths of elements, also along associations that `@cds.search` names
 */
export function searchableElements(entity: LinkedEntity): readonly (readonly string[])[] {
  return collect(entity, MAX_DEPTH);
}

function collect(entity: LinkedEntity, depth: number): (readonly string[])[] {
  if (entity["@cds.search"] === false) return [];
  const { included, excluded } = annotated(entity);
  const paths = included.flatMap((path) => searchPaths(entity, path, depth));
  // whole targets are searched beside the own texts
  if (included.some((path) => path.length > 1 || !entity.elements[path[0]!]?.$target)) return paths;
  for (const element of entity.$flat.values()) {
    if (isText(entity, element) && !excluded.has(element.path.join("."))) paths.push(element.path);
  }
  return paths;
}

function isText(entity: LinkedEntity, flat: FlatElement): boolean {
  const { element, virtual, foreignKey4 } = flat;
  return !isHidden(entity, flat) && element.$type.builtin === "cds.String" && !virtual &&
    foreignKey4 === undefined;
}

function annotated(entity: LinkedEntity): { included: string[][]; excluded: Set<string> } {
  const included: string[][] = [];
  const excluded = new Set<string>();
  for (const [key, value] of annotationsOf(entity)) {
    if (!key.startsWith("@cds.search.")) continue;
    const path = key.slice("@cds.search.".length);
    if (value === false) excluded.add(path);
    else if (value) included.push(path.split("."));
  }
  return { included, excluded };
}

/** A structure stands for its texts, an association for what is searchable in its target. */
function searchPaths(entity: LinkedEntity, path: readonly string[], depth: number): (readonly string[])[] {
  const [first, ...rest] = path;
  const element = entity.elements[first];
  if (!element) return [];
  const target = element.$target;
  if (target) {
    if (depth === 0) return [];
    const inner = rest.length > 0 ? searchPaths(target, rest, depth - 1) : collect(target, depth - 1);
    return inner.map((below) => [first, ...below]);
  }
  if (rest.length === 0 && !element.$type.elements) return [path];
  return [...entity.$flat.values()]
    .filter((flat) => path.every((step, index) => flat.path[index] === step))
    .filter((flat) => isText(entity, flat) || flat.path.length === path.length)
    .map((flat) => flat.path);
}
