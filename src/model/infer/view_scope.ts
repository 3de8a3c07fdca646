/**
 * What the paths of a query can start with: the elements of its sources, their aliases and the mixins.
 *
 * @module
 */

import type { SelectBody, Source } from "../../cqn/cqn.ts";
import {
  copyElement,
  type Draft,
  type DraftElement,
  type DraftElements,
  emptyRecord,
  isToMany,
  isView,
  modelError,
  suggestion,
} from "./draft.ts";
import { findInElements, structureOf } from "./element_path.ts";
import { stepName } from "../../cqn/steps.ts";

/** One source of a query. */
export interface ScopeSource {
  readonly alias: string;
  readonly elements: DraftElements;
  /** The entity, unless the source is a query. */
  readonly entity?: string;
  /** True when its path runs along a to-many association. */
  readonly toMany: boolean;
}

/** The sources of a query and what else its paths can start with. */
export interface ViewScope {
  readonly sources: readonly ScopeSource[];
  readonly mixin: DraftElements;
  /** False when a source is a join. */
  readonly single: boolean;
  readonly view: string;
  readonly draft: Draft;
  /** The element of a column of the list, by its name. */
  readonly column?: (name: string) => DraftElement | undefined;
}

/** A resolved path of a query. */
export interface ResolvedPath {
  readonly element: DraftElement;
  readonly source?: ScopeSource;
  /** Steps without the alias of the source. */
  readonly path: readonly string[];
  readonly associations: readonly DraftElement[];
}

/** Computes the elements of a query in `from`. */
export type QueryElements = (query: Extract<Source, object>) => DraftElements;

/**
 * The scope of a SELECT.
 *
 * @param draft the model; all entities in `from` are complete
 * @param select the query
 * @param options name of the view, and how to get the elements of subqueries in `from`
 * @throws {ConfigurationError} for unknown sources
 */
export function scopeOf(
  draft: Draft,
  select: SelectBody,
  options: { readonly view: string; readonly queryElements: QueryElements },
): ViewScope {
  const mixin = emptyRecord<DraftElement>();
  for (const [name, element] of Object.entries(select.mixin ?? {})) {
    mixin[name] = copyElement(element as DraftElement);
  }
  const sources = flatten(select.from).map((source) => sourceOf(draft, source, options));
  return { sources, mixin, single: !("join" in select.from), view: options.view, draft };
}

function flatten(source: Source): Source[] {
  return "join" in source ? source.args.flatMap(flatten) : [source];
}

function sourceOf(
  draft: Draft,
  source: Source,
  options: { readonly view: string; readonly queryElements: QueryElements },
): ScopeSource {
  if (!("ref" in source)) {
    return { alias: source.as ?? "", elements: options.queryElements(source), toMany: false };
  }
  const steps = source.ref.map(stepName);
  const alias = source.as ?? steps[steps.length - 1].split(".").pop() ?? "";
  const view = draft.definitions[options.view];
  const first = draft.definitions[steps[0]];
  if (!first) {
    const near = suggestion(steps[0], Object.keys(draft.definitions));
    throw modelError(`Unknown source "${steps[0]}" of "${options.view}"${near}`, view);
  }
  if (steps.length === 1) {
    return { alias, elements: structureOf(draft, first) ?? emptyRecord(), entity: steps[0], toMany: false };
  }
  const found = findInElements(draft, first.elements, steps.slice(1));
  if ("missing" in found) {
    throw modelError(`Unknown source "${steps.join(".")}" of "${options.view}": ${found.missing}`, view);
  }
  const entity = typeof found.element.target === "string" ? found.element.target : undefined;
  return {
    alias,
    elements: structureOf(draft, found.element) ?? emptyRecord(),
    entity,
    toMany: [...found.associations, found.element].some(isToMany),
  };
}

/**
 * Resolves a path of a query.
 *
 * @param scope the scope of the query
 * @param steps names of the steps
 * @returns the element, or what is missing
 */
export function resolvePath(
  scope: ViewScope,
  steps: readonly string[],
): ResolvedPath | { readonly missing: string } {
  const [first, ...rest] = steps;
  if ((first === "$self" || first === "$projection") && rest.length > 0) {
    const own = scope.column?.(rest[0]);
    if (!own) return resolvePath({ ...scope, column: undefined }, rest);
    const found = findInElements(scope.draft, { [rest[0]]: own }, rest);
    return "missing" in found ? found : { ...found, path: rest };
  }
  if (first in scope.mixin) {
    const found = findInElements(scope.draft, scope.mixin, steps);
    return "missing" in found ? found : { ...found, path: steps };
  }
  const aliased = rest.length > 0 ? scope.sources.find((source) => source.alias === first) : undefined;
  if (aliased) {
    const found = findInElements(scope.draft, aliased.elements, rest);
    if ("element" in found) return { ...found, source: aliased, path: rest };
    if (!(first in aliased.elements)) return found;
  }
  const source = scope.sources.find((candidate) => first in candidate.elements) ?? scope.sources[0];
  const found = findInElements(scope.draft, source?.elements, steps);
  return "missing" in found ? found : { ...found, source, path: steps };
}

/**
 * The scope inside a structure, or behind an association.
 *
 * @param scope the scope around
 * @param element the structure, association or entity
 */
export function innerScope(scope: ViewScope, element: DraftElement): ViewScope {
  const elements = structureOf(scope.draft, element) ?? emptyRecord();
  return { ...scope, mixin: emptyRecord(), sources: [{ alias: "", elements, toMany: false }] };
}

/**
 * Whether a source has no signature, because there is a mistake in it.
 *
 * @param scope the scope of the query
 */
export function hasUnknownSource({ sources, draft }: ViewScope): boolean {
  return sources.some(({ entity }) => {
    const definition = entity === undefined ? undefined : draft.definitions[entity];
    return definition !== undefined && isView(definition) && definition.elements === undefined;
  });
}
