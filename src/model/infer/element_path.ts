/**
 * Paths through elements of definitions: structures and associations.
 *
 * @module
 */

import { type Draft, type DraftElement, type DraftElements, isView, suggestion } from "./draft.ts";

/** The element at the end of a path, or what is missing. */
export type FoundElement =
  | {
    readonly element: DraftElement;
    /** The association steps before the last step. */
    readonly associations: readonly DraftElement[];
  }
  | { readonly missing: string };

/**
 * Finds the element of a path that starts with a definition.
 *
 * @param draft the model
 * @param ref definition and elements
 */
export function findElement(draft: Draft, ref: readonly string[]): FoundElement {
  const definition = draft.definitions[ref[0]];
  if (!definition) {
    return { missing: `unknown definition "${ref[0]}"${suggestion(ref[0], Object.keys(draft.definitions))}` };
  }
  if (ref.length === 1) return { element: definition, associations: [] };
  return findInElements(draft, structureOf(draft, definition), ref.slice(1));
}

/**
 * Finds the element of a path that starts with an element.
 *
 * @param draft the model
 * @param elements where the first step is looked up
 * @param path the steps
 */
export function findInElements(
  draft: Draft,
  elements: DraftElements | undefined,
  path: readonly string[],
): FoundElement {
  let scope = elements;
  let element: DraftElement | undefined;
  const associations: DraftElement[] = [];
  for (const [index, step] of path.entries()) {
    if (element?.target !== undefined) associations.push(element);
    element = scope?.[step];
    if (!element) {
      return { missing: `unknown element "${step}"${suggestion(step, Object.keys(scope ?? {}))}` };
    }
    if (index < path.length - 1) scope = structureOf(draft, element);
  }
  return element ? { element, associations } : { missing: "empty path" };
}

/**
 * The elements below an element or definition: its own, those of its type, or those of its target.
 *
 * @param draft the model
 * @param element the element or definition
 */
export function structureOf(draft: Draft, element: DraftElement): DraftElements | undefined {
  const visited = new Set<DraftElement>();
  let current: DraftElement | undefined = element;
  while (current && !visited.has(current)) {
    visited.add(current);
    if (typeof current.target === "string") return draft.definitions[current.target]?.elements;
    if (typeof current.target === "object") return current.target.elements;
    if (typeof current.targetAspect === "object") return current.targetAspect.elements;
    if (current.elements) return current.elements;
    if (typeof current.type === "string") current = draft.definitions[current.type];
    else if (current.type) {
      const found = findElement(draft, current.type.ref);
      current = "element" in found ? found.element : undefined;
    } else return undefined;
  }
  return undefined;
}

/**
 * Tells whether a path starts in a view whose signature is not known yet.
 *
 * @param draft the model
 * @param ref definition and elements
 */
export function hasUnknownView(draft: Draft, ref: readonly string[]): boolean {
  const definition = draft.definitions[ref[0]];
  return definition !== undefined && isView(definition) && definition.elements === undefined;
}
