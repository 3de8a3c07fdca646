/**
 * Foreign keys of managed associations: `keys` defaults to all keys of the target (csn-cqn 5).
 *
 * @module
 */

import {
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  isToMany,
  isView,
  modelError,
  suggestion,
} from "./draft.ts";
import { findInElements } from "./element_path.ts";

/**
 * Fills `keys` of all managed to-one associations. Targets that are views without signature are left; a second run
 * fills them.
 *
 * @param draft the model
 * @throws {ConfigurationError} for unknown targets, targets without key and unknown explicit keys
 */
export function fillKeys(draft: Draft): void {
  for (const [name, definition] of Object.entries(draft.definitions)) {
    const at = { name, definition };
    if (definition.kind === "type" && definition.target !== undefined) fill(draft, definition, at);
    fillAll(draft, definition.elements, at);
    fillAll(draft, definition.items?.elements, at);
  }
}

interface At {
  readonly name: string;
  readonly definition: DraftDefinition;
}

function fillAll(draft: Draft, elements: DraftElements | undefined, at: At): void {
  for (const element of Object.values(elements ?? {})) {
    if (element.target !== undefined) draft.problems.attempt(() => fill(draft, element, at));
    fillAll(draft, element.elements, at);
    fillAll(draft, element.items?.elements, at);
  }
}

function fill(draft: Draft, element: DraftElement, at: At): void {
  const { target } = element;
  if (typeof target !== "string" || element.on) return;
  const definition = draft.definitions[target];
  if (!definition) {
    const near = suggestion(target, Object.keys(draft.definitions));
    throw modelError(
      `Unknown target "${target}" of an association in "${at.name}"${near}`,
      element,
      at.definition,
    );
  }
  if (isView(definition) && !definition.elements) return;
  if (element.keys) return assertKeys(draft, element, at);
  if (isToMany(element)) return;
  const keys = Object.entries(definition.elements ?? {}).filter(([, candidate]) => candidate.key);
  if (keys.length === 0) {
    // Abstract elements get their target's keys when an entity uses them.
    if (definition.kind === "aspect" || definition.kind === "type") return;
    throw modelError(
      `Managed association in "${at.name}" leads to "${target}", which has no key`,
      element,
      at.definition,
    );
  }
  element.keys = keys.map(([key]) => ({ ref: [key] }));
}

function assertKeys(draft: Draft, element: DraftElement, at: At): void {
  const elements = draft.definitions[element.target as string]?.elements; // checked by the caller
  for (const key of element.keys ?? []) {
    const found = findInElements(draft, elements, key.ref);
    if ("element" in found) continue;
    const message = `Unknown key "${key.ref.join(".")}" of target "${element.target}" in "${at.name}"`;
    throw modelError(`${message}: ${found.missing}`, element, at.definition);
  }
}
