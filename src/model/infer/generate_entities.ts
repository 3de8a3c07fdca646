import type { SelectBody } from "../../cqn/cqn.ts";
import { applyAnnotations, applyLateExtensions } from "./apply_extensions.ts";
import {
  copyElement,
  copyElements,
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  emptyRecord,
  inheritAnnotations,
  isAssociation,
  isToMany,
  isView,
  modelError,
  placedLike,
  suggestion,
} from "./draft.ts";
import { unqualified } from "../../util/unqualified.ts";
import { includeAll } from "./expand_includes.ts";
import { everyOf } from "../../cqn/conjunction.ts";

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
      draft.problems.attempt(() => open.push(generateComposition(draft, { name, definition }, key)));
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

function generateComposition(draft: Draft, whole: Whole, key: string): string {
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

const TEXTS_ASPECT = "sap.common.TextsAspect";
/** The key of texts of entities with `@fiori.draft.enabled`. */
const TEXTS_ID = "ID_texts";
const LOCALE_TYPE = "sap.common.Locale";

/**
 * Generates the texts entities.
 *
 * @param draft the model; types are resolved, so that `localized` of types is seen
 */
export function generateTexts(draft: Draft): void {
  for (const [name, definition] of Object.entries(draft.definitions)) {
    if (definition.kind !== "entity" || isView(definition)) continue;
    draft.problems.attempt(() => generateTextsOf(draft, name, definition));
  }
}

function generateTextsOf(draft: Draft, name: string, definition: DraftDefinition): void {
  const entries = Object.entries(definition.elements ?? {});
  const keys = entries.filter(([, element]) => element.key);
  const localized = entries.filter(([, element]) => isLocalized(element) && !element.key);
  if (localized.length === 0 || keys.length === 0) return;
  // The texts entity repeats the keys as they are, which associations do not allow.
  if (keys.some(([, element]) => isAssociation(element))) return;
  const texts = `${name}.texts`;
  if (draft.definitions[texts]) return;
  const isDraft = definition["@fiori.draft.enabled"] === true;
  for (const reserved of isDraft ? ["texts", "localized", TEXTS_ID] : ["texts", "localized"]) {
    if (definition.elements?.[reserved]) {
      throw modelError(
        `Element "${reserved}" of "${name}" collides with its localized texts`,
        definition.elements[reserved],
      );
    }
  }
  addTextsEntity(
    draft,
    { texts, entity: definition },
    entries.filter(([, element]) => element.key || isLocalized(element)),
  );
  if (isDraft) addTextsKey(draft, texts, keys.map(([key]) => key));
  addTextsElements(definition.elements!, texts, keys.map(([key]) => key)); // there are localized elements
}

function isLocalized(element: DraftElement): boolean {
  return element.localized === true && !element.virtual;
}

function addTextsEntity(
  draft: Draft,
  { texts, entity }: { readonly texts: string; readonly entity: DraftDefinition },
  entries: readonly [string, DraftElement][],
): void {
  const elements = emptyRecord<DraftElement>();
  const aspect = draft.definitions[TEXTS_ASPECT];
  if (!aspect) elements.locale = localeKey(draft);
  for (const [key, element] of entries) {
    const copy = copyElement(element);
    if (element.key) delete copy.localized;
    else copy.localized = null;
    delete copy.notNull;
    delete copy.default;
    elements[key] = copy;
  }
  const definition: DraftDefinition = {
    kind: "entity",
    ...(aspect && { includes: [TEXTS_ASPECT] }),
    elements,
  };
  draft.definitions[texts] = placedLike(definition, entity);
  includeAll(draft, texts);
  applyLateExtensions(draft, texts);
  applyAnnotations(draft, texts);
}

/** Drafts of texts have a key of their own, as their locale may still be missing or change. */
function addTextsKey(draft: Draft, texts: string, keys: readonly string[]): void {
  const definition = draft.definitions[texts];
  const elements = emptyRecord<DraftElement>();
  elements[TEXTS_ID] = { key: true, type: "cds.UUID" };
  for (const [name, { key: _key, ...element }] of Object.entries(definition.elements ?? {})) {
    elements[name] = element;
  }
  definition.elements = elements;
  (definition as Record<string, unknown>)["@assert.unique.locale"] = ["locale", ...keys].map((key) => ({
    "=": key,
  }));
}

function localeKey(draft: Draft): DraftElement {
  const known = draft.definitions[LOCALE_TYPE];
  return { key: true, type: known ? LOCALE_TYPE : "cds.String", length: known?.length ?? 14 };
}

function addTextsElements(elements: DraftElements, texts: string, keys: readonly string[]): void {
  const same = (association: string) =>
    everyOf(keys, (key) => [{ ref: [association, key] }, "=", { ref: [key] }]);
  elements.texts = { type: "cds.Composition", cardinality: { max: "*" }, target: texts, on: same("texts") };
  elements.localized = {
    type: "cds.Association",
    target: texts,
    on: [...same("localized"), "and", { ref: ["localized", "locale"] }, "=", { ref: ["$user", "locale"] }],
  };
}
