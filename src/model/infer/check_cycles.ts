/**
 * Cycles that would have no end: structures inside of themselves, foreign keys of keys, calculated elements.
 *
 * @module
 */

import type { Expression } from "../../cqn/cqn.ts";
import { walkExpression } from "../../cqn/walk.ts";
import { type Draft, type DraftElement, type DraftElements, isView, modelError, stepNames } from "./draft.ts";
import { findElement, findInElements } from "./element_path.ts";

/**
 * Finds structured types that contain themselves.
 *
 * @param draft the model; its types are resolved
 */
export function checkStructures(draft: Draft): void {
  const visit = depthFirst<DraftElement>(draft, "Cyclic type", function* (element) {
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
 * Finds managed associations whose foreign keys depend on themselves, and calculated elements that do.
 *
 * @param draft the model; keys are filled
 */
export function checkDependencies(draft: Draft): void {
  const foreignKey = depthFirst<DraftElement>(draft, "Cyclic foreign key", function* ({ target, keys }) {
    const elements = typeof target === "string" ? draft.definitions[target]?.elements : undefined;
    for (const { ref } of keys ?? []) {
      const found = findInElements(draft, elements, ref);
      if ("element" in found) yield found.element;
    }
  });
  for (const [name, definition] of Object.entries(draft.definitions)) {
    if (definition.kind !== "entity") continue;
    const calculation = calculationSearch(draft, definition.elements ?? {});
    for (const element of Object.values(definition.elements ?? {})) {
      foreignKey(element, { name, element });
      if (!isView(definition)) calculation(element, { name, element });
    }
  }
}

/** Elements of the same entity that an expression needs. */
function calculationSearch(draft: Draft, elements: DraftElements): Search<DraftElement> {
  return depthFirst<DraftElement>(draft, "Cyclic calculated element", function* ({ value }) {
    if (value === undefined) return;
    const needed: DraftElement[] = [];
    walkExpression(value as Expression, (expression) => {
      if ("SELECT" in expression || "SET" in expression) return false;
      if (!("ref" in expression) || !expression.ref) return;
      const steps = stepNames(expression.ref);
      const found = findInElements(draft, elements, steps[0] === "$self" ? steps.slice(1) : steps);
      if ("element" in found && found.associations.length === 0) needed.push(found.element);
    });
    yield* needed;
  });
}

interface Place {
  readonly name: string;
  readonly element: DraftElement;
}

type Search<T> = (node: T, place: Place) => void;

/** Visits what a node depends on; a way back to an open node is a mistake, told once. */
function depthFirst<T extends DraftElement>(
  draft: Draft,
  message: string,
  dependencies: (node: T) => Iterable<T>,
): Search<T> {
  const open = new Set<T>();
  const done = new Set<T>();
  const visit = (node: T, place: Place): void => {
    if (done.has(node)) return;
    if (open.has(node)) {
      draft.problems.catch(
        modelError(`${message} in "${place.name}"`, place.element, draft.definitions[place.name]),
      );
      return;
    }
    open.add(node);
    for (const other of dependencies(node)) visit(other, { name: place.name, element: node });
    open.delete(node);
    done.add(node);
  };
  return visit;
}
