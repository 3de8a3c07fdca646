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
  stepNames,
} from "./draft.ts";
import { findInElements } from "./element_path.ts";
import { expressionType } from "./expression_type.ts";
import { publishAssociation } from "./publish_association.ts";

/**
 * Gives calculated elements their types.
 *
 * @param draft the model; types and keys are known
 */
export function typeCalculated(draft: Draft): void {
  for (const definition of Object.values(draft.definitions)) {
    if (isView(definition) || !definition.elements) continue;
    for (const [name, element] of Object.entries(definition.elements)) {
      if (element.value !== undefined && isUntyped(element)) {
        definition.elements[name] = typed(draft, definition.elements, { name, element });
      }
    }
  }
}

function isUntyped(element: DraftElement): boolean {
  return element.type === undefined && element.elements === undefined && element.items === undefined;
}

function typed(
  draft: Draft,
  elements: DraftElements,
  { name, element }: { readonly name: string; readonly element: DraftElement },
): DraftElement {
  const value = element.value!; // the caller has checked it
  const lookup = (steps: readonly string[]) => {
    const found = findInElements(draft, elements, steps);
    return "element" in found && found.element !== element ? found.element : undefined;
  };
  if ("ref" in value) {
    const path = stepNames(value.ref);
    const association = lookup(path);
    if (association?.target !== undefined) {
      const { value: _value, "@Core.Computed": _computed, ...own } = element;
      const column: NestedColumn = { ref: value.ref };
      const published = publishAssociation(copyElement(association), { column, name, path });
      delete published.key;
      return { ...published, ...own };
    }
  }
  return Object.assign(element, expressionType(value, lookup));
}
