/**
 * Cycles that would have no end: structures inside of themselves, foreign keys of keys, calculated elements.
 *
 * @module
 */

import type { Expression } from "../../cqn/cqn.ts";
import { walkExpression } from "../../cqn/walk.ts";
import { type Draft, type DraftElement, type DraftElements, isView, modelError } from "./draft.ts";
import { findElement, findInElements, structureOf } from "./element_path.ts";
import { stepName } from "../../cqn/steps.ts";

/**
 * Finds structured types that contain themselves.
 *
 * @param draft the model; its types are resolved
 */
export function checkStructures(draft: Draft): void {
  const visit = depthFirst<DraftElement>(draft, "type", function* (element) {
    for (const inner of Object.values(element.elements ?? {})) yield inner;
    const { type } = element;
    if (typeof type === "string" && draft.definitions[type]) yield draft.definitions[type];
    const found = typeof type === "object" ? findElement(draft, type.ref) : undefined;
    if (found && "element" in found && found.element.target === undefined) yield found.element;
  });
  for (const [name, definition] of Object.entries(draft.definitions)) {
    visit(definition, { name, element: definition });
  }
}

/**
 * Finds managed associations whose foreign keys depend on themselves, and calculated elements that do, or that stand
 * for too much.
 *
 * @param draft the model; keys are filled
 */
export function checkDependencies(draft: Draft): void {
  const foreignKey = depthFirst<DraftElement>(draft, "foreign key", function* (element) {
    const { target, keys } = element;
    if (target === undefined) return yield* Object.values(structureOf(draft, element) ?? {});
    const elements = typeof target === "string" ? draft.definitions[target]?.elements : undefined;
    for (const { ref } of keys ?? []) {
      const found = findInElements(draft, elements, ref);
      if ("element" in found) yield found.element;
    }
  });
  const scopes = calculatedElements(draft);
  const calculation = depthFirst<DraftElement>(draft, "calculated element", (element) => {
    return neededElements(draft, element, scopes.get(element));
  });
  for (const [name, definition] of Object.entries(draft.definitions)) {
    if (definition.kind !== "entity") continue;
    for (const element of Object.values(definition.elements ?? {})) {
      foreignKey(element, { name, element });
      calculation(element, { name, element });
    }
  }
  const weight = weightOf<DraftElement>((element) => neededElements(draft, element, scopes.get(element)));
  for (const [element] of scopes) {
    if (weight(element) <= MAX_WEIGHT) continue;
    draft.problems.catch(
      modelError(`A calculated element stands for more than ${MAX_WEIGHT} others`, element),
    );
    return; // those that need it are too large because of it
  }
}

/** Calculated elements with the elements that their paths can start with. */
function calculatedElements(draft: Draft): Map<DraftElement, DraftElements> {
  const result = new Map<DraftElement, DraftElements>();
  for (const definition of Object.values(draft.definitions)) {
    if (definition.kind !== "entity" || isView(definition)) continue;
    for (const element of Object.values(definition.elements ?? {})) {
      if (element.value !== undefined) result.set(element, definition.elements!); // it has this element
    }
  }
  return result;
}

/** The elements that the expression of a calculated element reads. */
function neededElements(
  draft: Draft,
  { value }: DraftElement,
  elements: DraftElements | undefined,
): readonly DraftElement[] {
  const needed: DraftElement[] = [];
  if (value === undefined || !elements) return needed;
  walkExpression(value as Expression, (expression) => {
    if ("SELECT" in expression || "SET" in expression) return false;
    if (!("ref" in expression) || !expression.ref) return;
    const steps = expression.ref.map(stepName);
    const found = findInElements(draft, elements, steps[0] === "$self" ? steps.slice(1) : steps);
    if ("element" in found) needed.push(found.element);
  });
  return needed;
}

/**
 * How many nodes a node stands for when each is replaced by those it needs.
 *
 * @param dependencies what a node needs
 * @returns the number for a node; cycles count once
 */
export function weightOf<T>(dependencies: (node: T) => readonly T[]): (node: T) => number {
  const weights = new Map<T, number>();
  const weight = (node: T): number => {
    const known = weights.get(node);
    if (known !== undefined) return known;
    weights.set(node, 1);
    const total = dependencies(node).reduce((sum, other) => sum + weight(other), 1);
    weights.set(node, total);
    return total;
  };
  return weight;
}

/** How many values a calculated element or column may stand for. */
export const MAX_WEIGHT = 10_000;

/** Where a node is. */
export interface Place {
  /** The definition. */
  readonly name: string;
  readonly element: DraftElement;
}

/** Visits a node that is named. */
export type Search<T> = (node: T, place: Place) => void;

/**
 * Visits what nodes depend on; a way back to an open node is a mistake, told once.
 *
 * @param draft the model, whose problems are added to
 * @param noun what to call the nodes
 * @param dependencies what a node needs
 */
export function depthFirst<T extends object>(
  draft: Draft,
  noun: string,
  dependencies: (node: T) => Iterable<T>,
): Search<T> {
  const open = new Set<T>();
  const done = new Set<T>();
  const visit = (node: T, place: Place): void => {
    if (done.has(node)) return;
    const { name, element } = place;
    if (open.has(node)) {
      const cycle = modelError(`Cyclic ${noun} in "${name}"`, element, draft.definitions[name]);
      return draft.problems.catch(cycle);
    }
    if (open.size >= MAX_DEPTH) {
      const text = `More than ${MAX_DEPTH} ${noun}s build on each other in "${name}"`;
      throw modelError(text, element, draft.definitions[name]);
    }
    open.add(node);
    for (const other of dependencies(node)) visit(other, { name, element: node as DraftElement });
    open.delete(node);
    done.add(node);
  };
  return visit;
}

/** How many elements may build on each other: those who read a model follow them one after the other. */
const MAX_DEPTH = 200;
