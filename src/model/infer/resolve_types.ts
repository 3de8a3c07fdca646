/**
 * Types: facets and annotations come along the chain of types (csn-cqn 3). The element keeps its type name; `elements`
 * and `enum` stay with the type.
 *
 * @module
 */

import { builtinTypeNames, isBuiltinType } from "../builtin_types.ts";
import {
  assertChain,
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  inheritAnnotations,
  isView,
  modelError,
  suggestion,
} from "./draft.ts";
import { findElement, hasUnknownView } from "./element_path.ts";

const INHERITED = [
  "length",
  "precision",
  "scale",
  "srid",
  "target",
  "targetAspect",
  "keys",
  "on",
  "cardinality",
  "localized",
  "notNull",
  "default",
] as const;

interface TypeState {
  readonly draft: Draft;
  readonly done: Set<DraftElement>;
  readonly open: Set<DraftElement>;
}

/**
 * Resolves the types of all elements, parameters and results. References to elements of views whose signature is not
 * known yet are left; a second run resolves them.
 *
 * @param draft the model
 * @throws {ConfigurationError} for unknown and cyclic types
 */
export function resolveTypes(draft: Draft): void {
  const state: TypeState = { draft, done: new Set(), open: new Set() };
  for (const [name, definition] of Object.entries(draft.definitions)) {
    const at = { name, definition };
    if (!isView(definition)) resolve(state, definition, at);
    if (definition.elements) {
      for (const element of Object.values(definition.elements)) resolve(state, element, at);
    }
    resolveAll(state, definition.params, at);
    if (definition.returns) resolve(state, definition.returns, at);
    for (const operation of Object.values(definition.actions ?? {})) {
      resolveAll(state, operation.params, at);
      if (operation.returns) resolve(state, operation.returns, at);
    }
  }
}

interface At {
  readonly name: string;
  readonly definition: DraftDefinition;
}

function resolveAll(state: TypeState, elements: DraftElements | undefined, at: At): void {
  for (const element of Object.values(elements ?? {})) resolve(state, element, at);
}

function resolve(state: TypeState, element: DraftElement, at: At): void {
  if (state.done.has(element)) return;
  if (state.open.has(element)) throw modelError(`Cyclic type in "${at.name}"`, element, at.definition);
  state.open.add(element);
  const { problems } = state.draft;
  problems.attempt(() => {
    assertChain(state.open, element);
    inheritType(state, element, at);
  });
  state.open.delete(element);
  state.done.add(element);
  resolveAll(state, element.elements, at);
  if (element.items) resolve(state, element.items, at);
  if (typeof element.targetAspect === "object") resolveAll(state, element.targetAspect.elements, at);
  if (typeof element.target === "object") resolveAll(state, element.target.elements, at);
  if (element.value !== undefined) (element as Record<string, unknown>)["@Core.Computed"] ??= true;
}

function inheritType(state: TypeState, element: DraftElement, at: At): void {
  const base = baseOf(state, element, at);
  if (!base) return;
  for (const facet of INHERITED) {
    if (element[facet] === undefined && base[facet] !== undefined) element[facet] = base[facet] as never;
  }
  inheritAnnotations(element, base, (key) => key.startsWith("@cds.autoexpose"));
}

/** The element or type definition one level down, itself resolved. */
function baseOf(state: TypeState, element: DraftElement, at: At): DraftElement | undefined {
  const { type } = element;
  if (type === undefined || type === "$self") return undefined;
  if (typeof type === "object") {
    if (hasUnknownView(state.draft, type.ref)) return undefined;
    const found = findElement(state.draft, type.ref);
    if ("missing" in found) {
      if (isExternal(at)) return undefined;
      throw modelError(
        `Unknown type "${type.ref.join(".")}" in "${at.name}": ${found.missing}`,
        element,
        at.definition,
      );
    }
    resolve(state, found.element, { name: type.ref[0], definition: state.draft.definitions[type.ref[0]] });
    return found.element;
  }
  if (isBuiltinType(type)) return undefined;
  const definition = state.draft.definitions[type];
  if (!definition && isBuiltinType(`cds.${type}`)) {
    element.type = `cds.${type}`; // some tools leave the prefix out
    return undefined;
  }
  if (!definition) {
    if (isExternal(at)) return undefined;
    const near = suggestion(type, [...builtinTypeNames(), ...Object.keys(state.draft.definitions)]);
    throw modelError(`Unknown type "${type}" in "${at.name}"${near}`, element, at.definition);
  }
  if (definition.kind !== "type") return undefined; // entities, aspects and events as types only give their structure
  resolve(state, definition, { name: type, definition });
  return definition;
}

/** Imported descriptions of remote services may be cut out of larger models. */
function isExternal({ definition }: At): boolean {
  return Boolean(definition["@cds.external"]);
}
