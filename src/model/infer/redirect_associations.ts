/**
 * Associations inside services lead to the service's own projections, which are generated where needed
 * (csn-cqn 11: redirection and auto-exposure).
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import {
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  isView,
  mapRefs,
  modelError,
  stepNames,
} from "./draft.ts";
import { inferViews } from "./infer_views.ts";

interface Service {
  readonly name: string;
  readonly draft: Draft;
  /** Entities of the service; grows while entities are exposed. */
  readonly entities: string[];
}

/**
 * Redirects the associations of all services and exposes what they need.
 *
 * @param draft the model; all signatures are known
 * @throws {ConfigurationError} when several projections are equally near, or a projection lacks a needed element
 */
export function redirectAssociations(draft: Draft): void {
  const services = Object.keys(draft.definitions).filter((name) =>
    draft.definitions[name].kind === "service"
  );
  const members = new Map(services.map((name) => [name, [] as string[]]));
  for (const [name, definition] of Object.entries(draft.definitions)) {
    if (definition.kind !== "entity") continue;
    const service = serviceOf(members, name);
    if (service !== undefined) members.get(service)?.push(name);
  }
  for (const [name, entities] of members) redirectService({ name, draft, entities });
}

function serviceOf(services: ReadonlyMap<string, unknown>, name: string): string | undefined {
  for (let end = name.lastIndexOf("."); end > 0; end = name.lastIndexOf(".", end - 1)) {
    if (services.has(name.slice(0, end))) return name.slice(0, end);
  }
  return undefined;
}

function redirectService(service: Service): void {
  for (const name of service.entities) { // also visits the entities exposed on the way
    const definition = service.draft.definitions[name];
    redirectAll(service, definition.elements, { name, definition });
  }
}

interface At {
  readonly name: string;
  readonly definition: DraftDefinition;
}

function redirectAll(service: Service, elements: DraftElements | undefined, at: At): void {
  for (const [key, element] of Object.entries(elements ?? {})) {
    if (typeof element.target === "string") redirect(service, { key, element, at });
    redirectAll(service, element.elements, at);
    redirectAll(service, element.items?.elements, at);
  }
}

interface Association {
  readonly key: string;
  readonly element: DraftElement;
  readonly at: At;
}

function redirect(service: Service, association: Association): void {
  const { element } = association;
  const original = element.target as string; // the caller has checked it
  if (service.entities.includes(original) || !service.draft.definitions[original]) return;
  const target = nearest(service, association, original) ?? expose(service, element, original);
  if (target === undefined) return;
  adaptTo(service, association, chain(service.draft, target, original) ?? []);
  element.target = target;
}

/** The projection with the shortest chain to the original target; explicit preferences count first. */
function nearest(service: Service, { key, at }: Association, original: string): string | undefined {
  const candidates: { name: string; length: number; preferred: boolean }[] = [];
  for (const name of service.entities) {
    const preference = service.draft.definitions[name]["@cds.redirection.target"];
    const steps = preference === false ? undefined : chain(service.draft, name, original);
    if (steps) candidates.push({ name, length: steps.length, preferred: preference === true });
  }
  const preferred = candidates.filter((candidate) => candidate.preferred);
  const pool = preferred.length > 0 ? preferred : candidates;
  const length = Math.min(...pool.map((candidate) => candidate.length));
  const best = pool.filter((candidate) => candidate.length === length);
  if (best.length > 1) {
    const names = best.map((candidate) => `"${candidate.name}"`).join(" and ");
    throw modelError(
      `Association "${key}" of "${at.name}" to "${original}" could be redirected to ${names}, ` +
        "expected @cds.redirection.target at one of them",
      at.definition.elements?.[key],
      at.definition,
    );
  }
  return best[0]?.name;
}

/** The views from a name down to the original entity, or undefined if it does not come from there. */
function chain(draft: Draft, name: string, original: string): string[] | undefined {
  const steps: string[] = [];
  for (let current: string | undefined = name; current !== undefined && steps.length < 100;) {
    if (current === original) return steps;
    steps.push(current);
    current = primarySource(draft, current);
  }
  return undefined;
}

function primarySource(draft: Draft, name: string): string | undefined {
  const definition = draft.definitions[name];
  const select = definition?.projection ??
    (definition?.query && "SELECT" in definition.query ? definition.query.SELECT : undefined);
  if (!select || !("ref" in select.from)) return undefined;
  const steps = stepNames(select.from.ref);
  return steps.length === 1 ? steps[0] : undefined;
}

function expose(service: Service, element: DraftElement, original: string): string | undefined {
  const { draft } = service;
  const target = draft.definitions[original];
  const wanted = target["@cds.autoexpose"];
  if (target.kind !== "entity" || wanted === false) return undefined;
  if (wanted !== true && element.type !== "cds.Composition" && !isComposed(draft, element)) return undefined;
  const name = `${service.name}.${localName(draft, original)}`;
  if (draft.definitions[name]) {
    throw modelError(
      `"${original}" cannot be exposed as "${name}": the name is taken`,
      draft.definitions[name],
      element,
    );
  }
  draft.definitions[name] = {
    kind: "entity",
    "@cds.autoexposed": true,
    projection: { from: { ref: [original] } },
  };
  inferViews(draft, [name]);
  service.entities.push(name);
  return name;
}

function isComposed(draft: Draft, element: DraftElement): boolean {
  const base = typeof element.type === "string" ? draft.definitions[element.type] : undefined;
  return base !== undefined && base !== element &&
    (base.type === "cds.Composition" || isComposed(draft, base));
}

/**
 * The name of a definition without its namespace; generated entities keep the names of the chain
 * (`Orders.Items`).
 *
 * @param draft the definitions
 * @param name full name
 */
export function localName(
  draft: { readonly definitions: Readonly<Record<string, unknown>> },
  name: string,
): string {
  let start = name.lastIndexOf(".");
  while (start > 0) {
    const parent = draft.definitions[name.slice(0, start)] as { kind?: string } | undefined;
    if (parent?.kind !== "entity") break;
    start = name.lastIndexOf(".", start - 1);
  }
  return name.slice(start + 1);
}

/** Keys and condition get the names that the elements of the target have in the projection. */
function adaptTo(service: Service, association: Association, views: readonly string[]): void {
  const { element, key, at } = association;
  const lookup = (name: string) => renamed(service.draft, name, views);
  const fail = (name: string) =>
    modelError(
      `Association "${key}" of "${at.name}" needs element "${name}" of its target, which "${
        views[0]
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
    const steps = stepNames(ref as readonly string[]); // paths hold steps only
    if (steps[0] !== by.key || steps.length < 2) return ref;
    const name = by.lookup(steps[1]);
    if (name === undefined) throw by.fail(steps[1]);
    return name === steps[1] ? ref : [ref[0], name, ...ref.slice(2)];
  });
}

function renamed(draft: Draft, name: string, views: readonly string[]): string | undefined {
  let current: string | undefined = name;
  for (const view of [...views].reverse()) {
    const selected = draft.selected.get(view);
    if (current === undefined) return undefined;
    // Signatures that came with the model have no record of their columns: names are taken as they are.
    if (selected) current = selected.get(current);
    else if (!isView(draft.definitions[view]) || !draft.definitions[view].elements?.[current]) {
      return undefined;
    }
  }
  return current;
}
