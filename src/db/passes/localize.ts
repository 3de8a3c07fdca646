/**
 * Localized elements (csn-cqn 10): a table reads them as `coalesce(localized.x, x)`; a view that does not publish all
 * its texts is replaced by its query, in which they are localized.
 *
 * @module
 */

import { viewQuery } from "../view_query.ts";
import type { FlatElement, LinkedElement, LinkedEntity } from "../../model/linked.ts";

type Localization = "none" | "texts" | "inline";

const localizations: WeakMap<LinkedEntity, Localization> = new WeakMap();

/**
 * The association to the text of an element in the locale of the context.
 *
 * @param flat a flat element
 * @param entity the entity that holds it
 * @returns undefined if the element is not localized, or localized by the query of the view already
 */
export function localizedColumn(flat: FlatElement, entity: LinkedEntity): LinkedElement | undefined {
  if (flat.element.localized !== true || flat.key || flat.foreignKey4) return undefined;
  if (localizationOf(entity) !== "texts") return undefined;
  const { localized } = entity.elements;
  return localized.$target?.$flat.has(flat.name) ? localized : undefined;
}

/**
 * Whether a view has to be replaced by its query to be localized.
 *
 * @param entity any entity
 */
export function isLocalizedInline(entity: LinkedEntity): boolean {
  return localizationOf(entity) === "inline";
}

function localizationOf(entity: LinkedEntity): Localization {
  let known = localizations.get(entity);
  if (known === undefined) {
    known = compute(entity);
    localizations.set(entity, known);
  }
  return known;
}

function compute(entity: LinkedEntity): Localization {
  if (entity["@cds.localized"] === false) return "none";
  const localized = [...entity.$flat.values()].filter((flat) =>
    flat.element.localized === true && !flat.key && !flat.virtual && !flat.foreignKey4
  );
  if (localized.length === 0) return "none";
  const texts = entity.elements.localized?.isAssociation ? entity.elements.localized.$target : undefined;
  const covered = localized.filter((flat) => texts?.$flat.has(flat.name));
  if (!viewQuery(entity)) return covered.length === 0 ? "none" : "texts";
  return covered.length === localized.length ? "texts" : "inline";
}
