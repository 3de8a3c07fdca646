/**
 * Localized elements that have no translations.
 *
 * @module
 */

import type { Csn, CsnDefinition, CsnElement, SourceLocation } from "../csn.ts";

/**
 * Looks for `localized` where it has no effect: in entities whose key is an association or that have none, and in
 * structures.
 *
 * @param inferred the inferred model
 * @returns remarks
 */
export function localizedWarnings(
  inferred: Csn,
): { readonly text: string; readonly location?: SourceLocation }[] {
  const { definitions = {} } = inferred;
  return Object.entries(definitions).flatMap(([name, definition]) => {
    if (definition.kind !== "entity" || definition.query || definition.projection) return [];
    return Object.entries(definition.elements ?? {}).flatMap(([key, element]) => [
      ...nestedWarnings({ name, path: key, definitions }, element),
      ...(element.localized && !definition.elements?.texts ? [withoutTexts(name, key, definition)] : []),
    ]);
  });
}

function withoutTexts(name: string, key: string, { elements = {} }: CsnDefinition) {
  const location = elements[key].$location;
  if (elements[key].key) return { text: `The key "${key}" of "${name}" cannot be localized`, location };
  const association = Object.keys(elements).find((one) => elements[one].key && elements[one].target);
  const reason = association === undefined ? "has no key" : `has the key "${association}", an association`;
  return { text: `"${key}" of "${name}" cannot be localized: the entity ${reason}`, location };
}

interface Place {
  readonly name: string;
  readonly path: string;
  readonly definitions: NonNullable<Csn["definitions"]>;
}

function nestedWarnings(
  at: Place,
  { elements: own, type, $location }: CsnElement,
): { readonly text: string; readonly location?: SourceLocation }[] {
  const elements = own ?? (typeof type === "string" ? at.definitions[type]?.elements : undefined);
  return Object.entries(elements ?? {}).flatMap(([key, element]) => {
    const path = `${at.path}.${key}`;
    const location = element.$location ?? $location;
    const text = `"${path}" of "${at.name}" cannot be localized: it is in a structure`;
    return [...(element.localized ? [{ text, location }] : []), ...nestedWarnings({ ...at, path }, element)];
  });
}
