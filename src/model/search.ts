import { isHidden } from "./edm_types.ts";
import { annotationsOf } from "./annotations_of.ts";
import type { FlatElement, LinkedEntity } from "./linked.ts";
import { allOf, call, exists, join, literal, NEVER, not, reference } from "../algebra/build.ts";
import type { Expr, TreeStep } from "../algebra/tree.ts";

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

/** Where terms are searched. */
export interface SearchPlace {
  /** The entity that paths start at; columns of a query have none. */
  readonly entity: LinkedEntity | undefined;
  /** Paths from the entity to texts, as of `searchableElements`; steps may have filters. */
  readonly paths: readonly (readonly TreeStep[])[];
  /** The condition that the text at a path holds a term; default: `containsTerm`. */
  readonly find?: (ref: readonly TreeStep[], term: Expr) => Expr;
}

/** The condition over the elements of an entity that search terms stand for. */
export function searchCondition(search: Expr, place: SearchPlace): Expr {
  if (search.kind === "joined") return join(search.op, search.args.map((one) => searchCondition(one, place)));
  if (search.kind === "unary") return not(searchCondition(search.arg, place));
  const { entity, paths, find = (ref, text) => containsTerm(reference(ref), text) } = place;
  if (paths.length === 0) return NEVER;
  return join("or", paths.map((ref) => pathCondition(entity, ref, (end) => find(end, search))));
}

/** A text of many rows is found where one of them has it. */
function pathCondition(
  entity: LinkedEntity | undefined,
  ref: readonly TreeStep[],
  find: (ref: readonly TreeStep[]) => Expr,
): Expr {
  let target: LinkedEntity | undefined = entity;
  for (const [index, step] of ref.entries()) {
    const { id, where, ...rest } = typeof step === "string" ? { id: step } : step;
    const element: LinkedEntity["elements"][string] | undefined = target?.elements[id];
    target = element?.$target;
    if (!target) break;
    if (!element?.is2many) continue;
    const found = pathCondition(target, ref.slice(index + 1), find);
    const last = { ...rest, id, where: allOf([where, found]) };
    return exists(reference([...ref.slice(0, index), last]));
  }
  return find(ref);
}

/** A condition that finds a term in a text, whatever the case of its letters; null has no text. */
export function containsTerm(text: Expr, term: Expr): Expr {
  const lower = (one: Expr) => call("tolower", [one]);
  return call("contains", [lower(call("coalesce", [text, literal("")])), lower(term)]);
}
