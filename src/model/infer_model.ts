/**
 * From a parsed model to an inferred one: extensions applied, includes expanded, generated entities added, signatures
 * of views computed, associations redirected (csn-cqn 1).
 *
 * @module
 */

import type { Csn, CsnDefinition } from "./csn.ts";
import { isInferred } from "./is_inferred.ts";
import { Problems } from "./problems.ts";
import { applyExtensions, reportLateExtensions } from "./infer/apply_extensions.ts";
import { checkDependencies, checkStructures } from "./infer/check_cycles.ts";
import { checkConditions, checkReferences } from "./infer/check_references.ts";
import {
  copyDefinition,
  copyElement,
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  emptyRecord,
  isToMany,
  isView,
  modelError,
  placedLike,
  suggestion,
} from "./infer/draft.ts";
import { expandIncludes } from "./infer/expand_includes.ts";
import { generateCompositions, generateTexts, nameGeneratedSources } from "./infer/generate_entities.ts";
import { inferViews } from "./infer/infer_views.ts";
import { redirectAssociations } from "./infer/redirect_associations.ts";
import { expressionType, resolveTypes } from "./infer/resolve_types.ts";
import { findInElements } from "./infer/element_path.ts";
import type { NestedColumn } from "../cqn/cqn.ts";
import { publishAssociation, relocateCondition } from "./infer/view_associations.ts";
import { stepName } from "../cqn/steps.ts";

type Pass = (draft: Draft) => void;

/**
 * Infers a model. A model that is inferred already is returned as it is.
 *
 * @param csn a parsed or inferred model; it is not changed
 * @returns the inferred model, marked by `meta.flavor`
 * @throws {ConfigurationError} with the place in the source, for references that lead nowhere and everything else
 *   that leaves no sound model; it names all mistakes of the first stage with mistakes
 */
export function inferModel(csn: Csn): Csn {
  if (isInferred(csn) && !csn.extensions?.length) return csn;
  const draft = createDraft(csn);
  const extensions = csn.extensions ?? [];
  // Mistakes of one stage do not follow from each other; what comes after a stage would only repeat them.
  const stages: readonly (readonly Pass[])[] = [
    [() => applyExtensions(draft, extensions), checkConditions],
    [expandIncludes],
    [resolveTypes],
    [checkStructures],
    [generateCompositions, generateTexts, nameGeneratedSources, reportLateExtensions],
    [fillKeys, typeCalculated, inferViews],
    [resolveTypes, fillKeys, checkDependencies],
    [redirectAssociations, fillKeys, checkReferences],
  ];
  for (const passes of stages) {
    for (const pass of passes) draft.problems.attempt(() => pass(draft));
    draft.problems.throwIfAny();
  }
  const { extensions: _applied, requires: _loaded, ...rest } = csn;
  return {
    ...rest,
    definitions: draft.definitions as Record<string, CsnDefinition>, // drafts are definitions that may change
    meta: { ...csn.meta, flavor: "inferred" },
  };
}

/**
 * Gives the views of an inferred model the elements that came behind it, as plugins add them: what their queries select
 * more, and what their sources have more. Elements that are there stay as they are.
 *
 * @param csn an inferred model; it is not changed
 * @throws {ConfigurationError} where what was added leads nowhere
 */
export function inferAddedElements(csn: Csn): Csn {
  const draft = createDraft(csn);
  const known = new Map<DraftDefinition, DraftElements>();
  for (const definition of Object.values(draft.definitions)) {
    if (!isView(definition) || !definition.elements) continue;
    known.set(definition, definition.elements);
    definition.elements = emptyRecord();
  }
  inferViews(draft);
  for (const [definition, elements] of known) Object.assign(definition.elements!, elements);
  redirectAssociations(draft);
  fillKeys(draft);
  draft.problems.throwIfAny();
  return { ...csn, definitions: draft.definitions as Record<string, CsnDefinition> }; // as above
}

function createDraft(csn: Csn): Draft {
  const definitions: Draft["definitions"] = emptyRecord();
  for (const [name, definition] of Object.entries(csn.definitions ?? {})) {
    definitions[name] = copyDefinition(definition);
  }
  return {
    definitions,
    annotations: new Map(),
    lateExtensions: new Map(),
    lateIncludes: new Map(),
    problems: new Problems(),
    selected: new Map(),
  };
}

/**
 * Fills `keys` of all managed to-one associations. Targets that are views without signature are left; a second run
 * fills them.
 *
 * @param draft the model
 * @throws {ConfigurationError} for unknown targets, targets without key and unknown explicit keys
 */
function fillKeys(draft: Draft): void {
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
    // Views lose keys where they group: associations to them may stand there as long as nothing follows them.
    if (element.key || !isView(definition)) {
      const what = element.key
        ? `The key of "${at.name}" is an association to`
        : `Managed association in "${at.name}" leads to`;
      throw modelError(`${what} "${target}", which has no key`, element, at.definition);
    }
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

/**
 * Gives calculated elements their types. Paths start among the elements beside the calculated one, or at the top.
 *
 * @param draft the model; types and keys are known
 */
function typeCalculated(draft: Draft): void {
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
    const path = value.ref.map(stepName);
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
