/**
 * Compositions of aspects: the entity of the parts is generated, with the association `up_` back to the whole
 * (csn-cqn 5, "Compositions of an aspect").
 *
 * @module
 */

import type { SelectBody } from "../../cqn/cqn.ts";
import { applyAnnotations, applyLateExtensions } from "./apply_extensions.ts";
import {
  copyElements,
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  emptyRecord,
  inheritAnnotations,
  isToMany,
  isView,
  modelError,
  placedLike,
  suggestion,
} from "./draft.ts";
import { unqualified } from "../../util/unqualified.ts";

/**
 * Generates the entities of all compositions of aspects, nested ones included.
 *
 * @param draft the model
 * @throws {ConfigurationError} when the whole has no key, or the name of the generated entity is taken
 */
export function generateCompositions(draft: Draft): void {
  const open = Object.keys(draft.definitions);
  for (let name = open.shift(); name !== undefined; name = open.shift()) {
    const definition = draft.definitions[name];
    if (definition.kind !== "entity" || isView(definition)) continue;
    for (const [key, element] of Object.entries(definition.elements ?? {})) {
      nameTargetAspect(draft, element);
      if (element.targetAspect === undefined || element.target !== undefined) continue;
      draft.problems.attempt(() => open.push(generate(draft, { name, definition }, key)));
    }
  }
}

/**
 * Names what views read of generated entities: `Books.texts` and `Orders.Items` of a service mean the generated entities
 * of what its `Books` and `Orders` are views on.
 *
 * @param draft the model, with all generated entities
 */
export function nameGeneratedSources(draft: Draft): void {
  for (const definition of Object.values(draft.definitions)) {
    const select = selectOf(definition);
    const [first] = select && "ref" in select.from ? select.from.ref : [];
    if (typeof first !== "string" || first in draft.definitions) continue;
    const meant = generatedName(draft, first);
    if (meant === undefined || !select || !("ref" in select.from)) continue;
    const from = { ...select.from, ref: [meant, ...select.from.ref.slice(1)] };
    from.as ??= unqualified(first);
    if (definition.projection) definition.projection = { ...definition.projection, from };
    else definition.query = { SELECT: { ...select, from } };
  }
}

function selectOf({ projection, query }: DraftDefinition): SelectBody | undefined {
  return projection ?? (query && "SELECT" in query ? query.SELECT : undefined);
}

function generatedName(draft: Draft, name: string): string | undefined {
  const end = name.lastIndexOf(".");
  const seen = new Set<string>();
  for (let owner = name.slice(0, end); !seen.has(owner);) {
    seen.add(owner);
    const generated = `${owner}${name.slice(end)}`;
    if (generated in draft.definitions) return generated;
    const definition = draft.definitions[owner];
    const { from } = definition && selectOf(definition) || {};
    if (!from || !("ref" in from) || from.ref.length !== 1 || typeof from.ref[0] !== "string") break;
    owner = from.ref[0];
  }
  return undefined;
}

/** `Composition of many SomeAspect` arrives with the aspect as target. */
function nameTargetAspect(draft: Draft, element: DraftElement): void {
  const { target } = element;
  if (target === undefined || element.type !== "cds.Composition") return;
  const kind = typeof target === "string" ? draft.definitions[target]?.kind : "aspect";
  if (kind !== "aspect" && kind !== "type") return;
  element.targetAspect = target;
  delete element.target;
}

interface Whole {
  readonly name: string;
  readonly definition: DraftDefinition;
}

function generate(draft: Draft, whole: Whole, key: string): string {
  const element = whole.definition.elements![key]; // the caller iterates over these elements
  const name = `${whole.name}.${key}`;
  if (draft.definitions[name]) {
    throw modelError(
      `Duplicate definition "${name}": the name is needed for the composition of an aspect`,
      element,
    );
  }
  const generated: DraftDefinition = { kind: "entity", elements: partElements(draft, whole, element) };
  if (typeof element.targetAspect === "string") {
    inheritAnnotations(generated, draft.definitions[element.targetAspect] ?? {});
    const { actions } = draft.definitions[element.targetAspect] ?? {};
    if (actions) generated.actions = { ...actions };
  }
  draft.definitions[name] = placedLike(generated, element);
  applyLateExtensions(draft, name);
  applyAnnotations(draft, name);
  element.target = name;
  element.on = [{ ref: [key, "up_"] }, "=", { ref: ["$self"] }];
  if (!isToMany(element)) element.cardinality ??= { max: 1 };
  return name;
}

function partElements(draft: Draft, whole: Whole, element: DraftElement): DraftElements {
  const { targetAspect } = element;
  const aspect = typeof targetAspect === "string" ? draft.definitions[targetAspect] : targetAspect;
  if (!aspect?.elements) {
    const name = String(targetAspect);
    throw modelError(`Unknown aspect "${name}"${suggestion(name, Object.keys(draft.definitions))}`, element);
  }
  const keys = Object.entries(whole.definition.elements ?? {}).filter(([, candidate]) => candidate.key);
  if (keys.length === 0) {
    throw modelError(
      `Entity "${whole.name}" needs a key for its composition of an aspect`,
      element,
      whole.definition,
    );
  }
  const elements = emptyRecord<DraftElement>();
  elements.up_ = placedLike({
    key: true,
    type: "cds.Association",
    cardinality: { min: 1, max: 1 },
    target: whole.name,
    keys: keys.map(([key]) => ({ ref: [key] })),
    notNull: true,
  }, element);
  return Object.assign(elements, copyElements(aspect.elements));
}
