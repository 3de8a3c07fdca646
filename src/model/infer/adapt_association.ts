/**
 * Redirected associations: keys and conditions follow the names that elements have in projections.
 *
 * @module
 */

import type { SelectBody, Source, Xo } from "../../cqn/cqn.ts";
import { mapRefs } from "../../cqn/walk.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { type Draft, type DraftDefinition, type DraftElement, modelError } from "./draft.ts";
import { stepName } from "../../cqn/steps.ts";

/** An association and where it is. */
export interface NamedAssociation {
  readonly key: string;
  readonly element: DraftElement;
  readonly at: { readonly name: string; readonly definition: DraftDefinition };
}

/** Longer chains of views are cycles, which are reported elsewhere. */
const MAX_VIEWS = 100;

/**
 * What a view comes from: its source, the source of that, and so on.
 *
 * @param draft the model
 * @param name the view to start with, which is not part of the result
 */
export function viewOrigins(draft: Draft, name: string): string[] {
  const origins: string[] = [];
  let current = primarySource(draft, name);
  while (current !== undefined && origins.length < MAX_VIEWS) {
    origins.push(current);
    current = primarySource(draft, current);
  }
  return origins;
}

/** A view on the way to an original entity, and which of its sources leads there. */
interface ViewStep {
  readonly view: string;
  readonly source: string;
}

/** The views from a name down to the original entity, joined sources included; undefined if none leads there. */
function viewChain(
  draft: Draft,
  name: string,
  { original, seen = new Set() }: { readonly original: string; readonly seen?: Set<string> },
): ViewStep[] | undefined {
  if (name === original) return [];
  if (seen.has(name)) return undefined;
  seen.add(name);
  for (const source of sourcesOf(draft, name)) {
    const rest = viewChain(draft, source, { original, seen });
    if (rest) return [{ view: name, source }, ...rest];
  }
  return undefined;
}

function sourcesOf(draft: Draft, name: string): readonly string[] {
  const from = selectOf(draft, name)?.from;
  return from ? entitiesOf(from) : [];
}

function entitiesOf(source: Source): readonly string[] {
  if ("join" in source) return source.args.flatMap(entitiesOf);
  return "ref" in source && source.ref.length === 1 ? source.ref.map(stepName) : [];
}

function selectOf(draft: Draft, name: string): SelectBody | undefined {
  const definition = draft.definitions[name];
  return definition?.projection ??
    (definition?.query && "SELECT" in definition.query ? definition.query.SELECT : undefined);
}

function primarySource(draft: Draft, name: string): string | undefined {
  const select = selectOf(draft, name);
  if (!select || !("ref" in select.from)) return undefined;
  const steps = select.from.ref.map(stepName);
  return steps.length === 1 ? steps[0] : undefined;
}

/**
 * Whether a view has all that an association needs of its target.
 *
 * @param draft the model
 * @param association the association, whose target is the view
 * @param original the target before
 */
export function fitsAssociation(draft: Draft, association: NamedAssociation, original: string): boolean {
  try {
    adaptAssociation(draft, { ...association, element: { ...association.element } }, original);
    return true;
  } catch (error) {
    if (error instanceof ConfigurationError) return false;
    throw error;
  }
}

/**
 * Gives keys and condition of a redirected association the names that the elements have in the new target.
 *
 * @param draft the model; the signature of the new target is known
 * @param association the association, its target set already
 * @param original the target before
 * @throws {ConfigurationError} when the new target does not come from the original, or lacks a needed element
 */
export function adaptAssociation(draft: Draft, association: NamedAssociation, original: string): void {
  const { element, key, at } = association;
  const views = viewChain(draft, element.target as string, { original }); // an exposed target has a name
  if (!views) {
    throw modelError(
      `Association "${key}" of "${at.name}" is redirected to "${element.target}", which does not come from "${original}"`,
      element,
      at.definition,
    );
  }
  const lookup = (name: string) => renamed(draft, name, views);
  const fail = (name: string) =>
    modelError(
      `Association "${key}" of "${at.name}" needs element "${name}" of its target, which "${
        views[0]?.view ?? original
      }" does not select`,
      element,
      at.definition,
    );
  if (element.keys && !element.on) {
    element.keys = element.keys.map((item) => {
      const name = lookup(item.ref[0]);
      if (name === undefined) throw fail(item.ref[0]);
      if (name === item.ref[0]) return item;
      return { ...item, ref: [name, ...item.ref.slice(1)], as: item.as ?? item.ref.join("_") };
    });
  }
  if (element.on) element.on = adaptCondition(element.on, { key, lookup, fail });
}

function adaptCondition(
  on: readonly Xo[],
  by: {
    readonly key: string;
    readonly lookup: (name: string) => string | undefined;
    readonly fail: (name: string) => Error;
  },
): Xo[] {
  return mapRefs(on, (ref) => {
    const steps = (ref as readonly string[]).map(stepName); // paths hold steps only
    if (steps[0] !== by.key || steps.length < 2) return ref;
    const name = by.lookup(steps[1]);
    if (name === undefined) throw by.fail(steps[1]);
    return name === steps[1] ? ref : [ref[0], name, ...ref.slice(2)];
  });
}

function renamed(draft: Draft, name: string, views: readonly ViewStep[]): string | undefined {
  let current: string | undefined = name;
  for (const { view, source } of [...views].reverse()) {
    const selected = draft.selected.get(view);
    if (current === undefined) return undefined;
    // Signatures that came with the model have no record of their columns: names are taken as they are; likewise
    // those of views that are not complete because they depend on this association.
    if (selected) current = selected.get(source)?.get(current);
    else if (draft.definitions[view].elements && !draft.definitions[view].elements[current]) return undefined;
  }
  return current;
}
