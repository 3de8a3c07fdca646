/**
 * Includes: the elements, actions, parameters and annotations of the included definitions are copied (csn-cqn 3).
 *
 * @module
 */

import { applyAnnotations } from "./apply_extensions.ts";
import {
  assertChain,
  copyElement,
  copyOperation,
  type Draft,
  type DraftDefinition,
  type DraftElements,
  emptyRecord,
  inheritAnnotations,
  isView,
  modelError,
  suggestion,
} from "./draft.ts";

/**
 * Expands the includes of all definitions but views, each after those it includes, and applies their annotations.
 *
 * @param draft the model
 * @throws {ConfigurationError} for unknown and cyclic includes
 */
export function expandIncludes(draft: Draft): void {
  const done = new Set<string>();
  for (const name of Object.keys(draft.definitions)) {
    const open = new Set<string>();
    const isSound = draft.problems.attempt(() => expand(draft, name, { done, open }));
    if (isSound) continue;
    for (const other of open) done.add(other); // one message for all that depend on the mistake
  }
}

function expand(draft: Draft, name: string, state: { done: Set<string>; open: Set<string> }): void {
  const definition = draft.definitions[name];
  if (state.done.has(name) || isView(definition)) return;
  if (state.open.has(name)) throw modelError(`Cyclic include of "${name}"`, definition);
  assertChain(state.open, definition);
  state.open.add(name);
  for (const include of definition.includes ?? []) {
    if (!draft.definitions[include]) {
      const near = suggestion(include, Object.keys(draft.definitions));
      throw modelError(`Unknown definition "${include}" included by "${name}"${near}`, definition);
    }
    expand(draft, include, state);
  }
  includeAll(draft, name);
  applyAnnotations(draft, name);
  state.open.delete(name);
  state.done.add(name);
}

/**
 * Copies the included parts into one definition; the included definitions are complete.
 *
 * @param draft the model
 * @param name the including definition
 */
export function includeAll(draft: Draft, name: string): void {
  const definition = draft.definitions[name];
  if (!definition.includes?.length) return;
  const late = new Set(draft.lateIncludes.get(name));
  const early = definition.includes.filter((include) => !late.has(include));
  const own = definition.elements ?? emptyRecord();
  const elements: DraftElements = emptyRecord();
  for (const include of early) addMissing(elements, draft.definitions[include], own);
  for (const [key, element] of Object.entries(own)) elements[key] = element;
  for (const include of late) addMissing(elements, draft.definitions[include], elements);
  definition.elements = elements;
  for (const include of definition.includes) inheritRest(definition, draft.definitions[include]);
}

function addMissing(
  elements: DraftElements,
  included: DraftDefinition | undefined,
  own: DraftElements,
): void {
  for (const [key, element] of Object.entries(included?.elements ?? {})) {
    if (!(key in own)) elements[key] ??= copyElement(element);
  }
}

function inheritRest(definition: DraftDefinition, included: DraftDefinition | undefined): void {
  if (!included) return;
  inheritAnnotations(definition, included);
  for (const [key, action] of Object.entries(included.actions ?? {})) {
    definition.actions ??= emptyRecord();
    definition.actions[key] ??= copyOperation(action);
  }
}
