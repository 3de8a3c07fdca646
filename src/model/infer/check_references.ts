/**
 * Checks of a complete model: targets exist, and paths of conditions lead to elements.
 *
 * @module
 */

import type { Expression, Xo } from "../../cqn/cqn.ts";
import { mapRefs } from "../../cqn/map_refs.ts";
import {
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  modelError,
  stepNames,
  suggestion,
} from "./draft.ts";
import { findElement, findInElements, type FoundElement } from "./element_path.ts";

/**
 * Checks targets, conditions of associations and calculated elements of all entities.
 *
 * @param draft the model, complete
 */
export function checkReferences(draft: Draft): void {
  for (const [name, definition] of Object.entries(draft.definitions)) {
    checkElements(draft, definition.elements, { name, definition });
  }
}

interface At {
  readonly name: string;
  readonly definition: DraftDefinition;
}

function checkElements(draft: Draft, elements: DraftElements | undefined, at: At): void {
  for (const [key, element] of Object.entries(elements ?? {})) {
    draft.problems.attempt(() => checkTarget(draft, element, { ...at, key }));
    // Only elements of entities know all the paths: aspects may rely on elements of those that include them.
    if (at.definition.kind === "entity" && elements === at.definition.elements) {
      const { on, value } = element;
      if (on) draft.problems.attempt(() => checkPaths(draft, on, { ...at, key }));
      if (value) draft.problems.attempt(() => checkPaths(draft, [value as Expression], { ...at, key }));
    }
    draft.problems.attempt(() => checkDefault(draft, element, { ...at, key }));
    checkElements(draft, element.elements, at);
    checkElements(draft, element.items?.elements, at);
  }
}

function checkTarget(draft: Draft, element: DraftElement, at: At & { readonly key: string }): void {
  if (typeof element.target !== "string" || draft.definitions[element.target]) return;
  const near = suggestion(element.target, Object.keys(draft.definitions));
  throw modelError(
    `Unknown target "${element.target}" of association "${at.key}" in "${at.name}"${near}`,
    element,
    at.definition,
  );
}

/** A default that is a symbol has to be one of the enum. */
function checkDefault(draft: Draft, element: DraftElement, at: At & { readonly key: string }): void {
  if (!element.default || !("#" in element.default)) return;
  const symbol = element.default["#"];
  const symbols = enumOf(draft, element);
  if (symbols && Object.hasOwn(symbols, symbol)) return;
  const near = suggestion(symbol, Object.keys(symbols ?? {}));
  const message = `Default "#${symbol}" of "${at.key}" in "${at.name}" is no symbol of its enum${near}`;
  throw modelError(message, element, at.definition);
}

function enumOf(draft: Draft, element: DraftElement): DraftElement["enum"] {
  const visited = new Set<DraftElement>();
  let current: DraftElement | undefined = element;
  while (current && !visited.has(current)) {
    if (current.enum) return current.enum;
    visited.add(current);
    const type: DraftElement["type"] = current.type;
    const found: FoundElement | undefined = typeof type === "object"
      ? findElement(draft, type.ref)
      : undefined;
    current = typeof type === "string"
      ? draft.definitions[type]
      : found && "element" in found
      ? found.element
      : undefined;
  }
  return undefined;
}

function checkPaths(draft: Draft, xpr: readonly Xo[], at: At & { readonly key: string }): void {
  mapRefs(xpr, (ref) => {
    const steps = stepNames(ref as readonly string[]); // paths hold steps only
    const path = steps[0] === "$self" || steps[0] === "$projection" ? steps.slice(1) : steps;
    if (path.length === 0 || path[0].startsWith("$")) return ref;
    const found = findInElements(draft, at.definition.elements, path);
    if ("missing" in found) {
      const element = at.definition.elements?.[at.key];
      throw modelError(
        `Unresolved path "${steps.join(".")}" in "${at.key}" of "${at.name}": ${found.missing}`,
        element,
        at.definition,
      );
    }
    return ref;
  });
}
