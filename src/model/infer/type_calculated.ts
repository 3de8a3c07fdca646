/**
 * Calculated elements without type: they have the type of their expression. An association (with infix filter) as
 * value makes the element an association itself.
 *
 * @module
 */

import type { NestedColumn } from "../../cqn/cqn.ts";
import {
  copyElement,
  type Draft,
  type DraftElement,
  type DraftElements,
  isView,
  placedLike,
  stepNames,
} from "./draft.ts";
import { findInElements } from "./element_path.ts";
import { expressionType } from "./expression_type.ts";
import { publishAssociation, relocateCondition } from "./publish_association.ts";

/**
 * Gives calculated elements their types. Paths start among the elements beside the calculated one, or at the top.
 *
 * @param draft the model; types and keys are known
 */
export function typeCalculated(draft: Draft): void {
  for (const definition of Object.values(draft.definitions)) {
    if (!isView(definition) && definition.elements) typeAll(draft, [definition.elements]);
  }
}

/** The scopes of paths are elements, innermost first. */
function typeAll(draft: Draft, scopes: readonly DraftElements[]): void {
  const [elements] = scopes;
  for (const [name, element] of Object.entries(elements)) {
    if (element.value !== undefined && isUntyped(element)) {
      elements[name] = typed(draft, scopes, { name, element });
    }
    if (element.elements) typeAll(draft, [element.elements, ...scopes]);
  }
}

function isUntyped(element: DraftElement): boolean {
  return element.type === undefined && element.elements === undefined && element.items === undefined;
}

function typed(
  draft: Draft,
  scopes: readonly DraftElements[],
  { name, element }: { readonly name: string; readonly element: DraftElement },
): DraftElement {
  const value = element.value!; // the caller has checked it
  const lookup = (steps: readonly string[]) => {
    const [top] = scopes.slice(-1);
    const scope = steps[0] === "$self" ? top : scopes.find((elements) => steps[0] in elements);
    const found = findInElements(draft, scope, steps[0] === "$self" ? steps.slice(1) : steps);
    return "element" in found && found.element !== element ? found.element : undefined;
  };
  if ("ref" in value) {
    const path = stepNames(value.ref);
    const association = lookup(path);
    if (association?.target !== undefined) {
      const { value: _value, "@Core.Computed": _computed, ...own } = element;
      const column: NestedColumn = { ref: value.ref };
      const copy = copyElement(association);
      relocateCondition(draft, copy, { from: path, to: name, along: [] });
      const published = publishAssociation(copy, { column, name, path });
      delete published.key;
      return placedLike({ ...published, ...own }, element);
    }
  }
  return Object.assign(element, expressionType(value, lookup));
}
