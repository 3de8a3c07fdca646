/**
 * Localized data: entities with localized elements get a texts entity and the elements `texts` and `localized`
 * (csn-cqn 10).
 *
 * @module
 */

import type { Xo } from "../../cqn/cqn.ts";
import { applyAnnotations, applyLateExtensions } from "./apply_extensions.ts";
import {
  copyElement,
  type Draft,
  type DraftDefinition,
  type DraftElement,
  type DraftElements,
  emptyRecord,
  isAssociation,
  isView,
  modelError,
  placedLike,
} from "./draft.ts";
import { includeAll } from "./expand_includes.ts";

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
    draft.problems.attempt(() => generate(draft, name, definition));
  }
}

function generate(draft: Draft, name: string, definition: DraftDefinition): void {
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
    keys.flatMap((key, index): Xo[] => [
      ...(index ? ["and"] : []),
      { ref: [association, key] },
      "=",
      { ref: [key] },
    ]);
  elements.texts = { type: "cds.Composition", cardinality: { max: "*" }, target: texts, on: same("texts") };
  elements.localized = {
    type: "cds.Association",
    target: texts,
    on: [...same("localized"), "and", { ref: ["localized", "locale"] }, "=", { ref: ["$user", "locale"] }],
  };
}
