/**
 * Associations inside services lead to the service's own projections, which are generated where needed
 * (csn-cqn 11: redirection and auto-exposure).
 *
 * @module
 */

import {
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  modelError,
  placedLike,
} from "./draft.ts";
import { adaptAssociation, fitsAssociation, isAggregating, viewOrigins } from "./view_associations.ts";
import { inferViews } from "./infer_views.ts";
import { stepName } from "../../cqn/steps.ts";

interface Service {
  readonly name: string;
  readonly draft: Draft;
  /** Entities of the service; grows while entities are exposed. */
  readonly entities: Set<string>;
  /** Entities of the service by where they come from, directly or through other views. */
  readonly origins: Map<string, Candidate[]>;
  /** Parts exposed for a composition: which entity has it, and which of their associations lead back to that. */
  readonly wholes: Map<string, { readonly name: string; readonly backlinks: readonly string[] }>;
  /** Targets with several projections that are equally near, told once. */
  readonly ambiguous: Set<string>;
}

interface Candidate {
  readonly name: string;
  /** Number of views from the origin on. */
  readonly length: number;
  readonly preferred: boolean;
  /** Its rows are rows of the origin; those of views that aggregate are none. */
  readonly keepsRows: boolean;
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
    const service = serviceOfName(members, name);
    if (service !== undefined) members.get(service)?.push(name);
  }
  for (const [name, entities] of members) {
    const service: Service = {
      ...{ name, draft, entities: new Set(), origins: new Map(), wholes: new Map(), ambiguous: new Set() },
    };
    for (const entity of entities) addEntity(service, entity);
    redirectService(service);
  }
}

/**
 * The service that a definition belongs to by its name: the longest prefix that is one (csn-cqn 2).
 *
 * @param services tells which names are services
 * @param name full name of the definition
 */
export function serviceOfName(
  services: { has(name: string): boolean },
  name: string,
): string | undefined {
  for (let end = name.lastIndexOf("."); end > 0; end = name.lastIndexOf(".", end - 1)) {
    if (services.has(name.slice(0, end))) return name.slice(0, end);
  }
  return undefined;
}

function addEntity(service: Service, name: string): void {
  service.entities.add(name);
  const { "@cds.redirection.target": preference, params } = service.draft.definitions[name];
  // associations have no values for parameters
  if (preference === false || (params && preference !== true)) return;
  let previous = name;
  let keepsRows = true;
  for (const [index, origin] of viewOrigins(service.draft, name).entries()) {
    const candidates = service.origins.get(origin) ?? [];
    keepsRows &&= !isAggregating(service.draft, previous);
    previous = origin;
    candidates.push({ name, length: index + 1, preferred: preference === true, keepsRows });
    service.origins.set(origin, candidates);
  }
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
    if (typeof element.target === "string") {
      service.draft.problems.attempt(() => redirect(service, { key, element, at }));
    }
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
  const { element, key, at } = association;
  const original = element.target as string; // the caller has checked it
  if (service.entities.has(original) || !service.draft.definitions[original]) return;
  const target = nearest(service, association, original) ?? expose(service, association, original);
  if (target === undefined) return;
  element.target = target;
  adaptAssociation(service.draft, { element, key, at }, original);
}

/**
 * The projection with the shortest chain to the original target; explicit preferences count first, then those
 * that do not aggregate. Of several that are equally near, associations of an entity to itself stay in its projection, parts lead back to the entity for whose
 * composition they were exposed, and others lead to the one that has what they need, if there is only one.
 */
function nearest(service: Service, { key, at, element }: Association, original: string): string | undefined {
  const candidates = service.origins.get(original) ?? [];
  const preferred = candidates.filter((candidate) => candidate.preferred);
  const likely = preferred.length > 0 ? preferred : candidates.filter(({ keepsRows }) => keepsRows);
  const pool = likely.length > 0 ? likely : candidates;
  const length = Math.min(...pool.map((candidate) => candidate.length));
  const best = pool.filter((candidate) => candidate.length === length);
  if (best.length > 1) {
    if (best.some(({ name }) => name === at.name)) return at.name;
    const whole = service.wholes.get(at.name);
    if (whole?.backlinks.includes(key) && best.some(({ name }) => name === whole.name)) return whole.name;
    const fitting = best.filter(({ name }) =>
      fitsAssociation(service.draft, { key, at, element: { ...element, target: name } }, original)
    );
    if (fitting.length === 1) return fitting[0]!.name;
    if (service.ambiguous.has(original)) return undefined;
    service.ambiguous.add(original);
    const names = (fitting.length > 0 ? fitting : best).map((candidate) => `"${candidate.name}"`).join(
      " and ",
    );
    throw modelError(
      `Association "${key}" of "${at.name}" to "${original}" could be redirected to ${names}, ` +
        "expected @cds.redirection.target at one of them",
      at.definition.elements?.[key],
      at.definition,
    );
  }
  return best[0]?.name;
}

function expose(
  service: Service,
  { key, element, at }: Association,
  original: string,
): string | undefined {
  const { draft } = service;
  const target = draft.definitions[original];
  const wanted = target["@cds.autoexpose"];
  if (target.kind !== "entity" || wanted === false) return undefined;
  if (wanted !== true && element.type !== "cds.Composition" && !isComposed(draft, element)) return undefined;
  const name = `${service.name}.${localName(draft, original)}`;
  if (draft.definitions[name]) {
    // A projection that must not be a target is there on purpose.
    if (viewOrigins(draft, name).includes(original)) return undefined;
    throw modelError(
      `"${original}" cannot be exposed as "${name}": the name is taken`,
      draft.definitions[name],
      element,
    );
  }
  const exposed: DraftDefinition = {
    kind: "entity",
    "@cds.autoexposed": true,
    projection: { from: { ref: [original] } },
  };
  draft.definitions[name] = placedLike(exposed, element.$location ? element : target);
  inferViews(draft, [name]);
  addEntity(service, name);
  service.wholes.set(name, { name: at.name, backlinks: backlinksOf(key, element) });
  return name;
}

/** The associations of the target that the condition of an association names: `up_` in `Items.up_ = $self`. */
function backlinksOf(key: string, { on }: DraftElement): string[] {
  return (on ?? []).flatMap((token) => {
    const [first, second] = typeof token === "object" && "ref" in token ? token.ref.map(stepName) : [];
    return first === key && second !== undefined ? [second] : [];
  });
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
