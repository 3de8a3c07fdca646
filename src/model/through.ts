/**
 * Associations of many to many: along the rows of an entity that links both sides (`@odata.through: 'links.target'`).
 *
 * @module
 */

import { placeOf } from "./place_of.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { LinkedElement, LinkedEntity } from "./linked.ts";

/** The two steps of an association of many to many. */
export interface Through {
  /** The composition of the source that holds the links. */
  readonly links: LinkedElement;
  /** The association of a link to the other side. */
  readonly target: LinkedElement;
}

const known: WeakMap<LinkedElement, Through> = new WeakMap();

/**
 * The way of an association of many to many.
 *
 * @param association any association
 * @returns undefined for others
 * @throws {ConfigurationError} when the annotation is no path to links and their other side
 */
export function throughOf(association: LinkedElement): Through | undefined {
  const path = association["@odata.through"];
  if (path === undefined || path === null) return undefined;
  let found = known.get(association);
  if (!found) known.set(association, found = findThrough(association, String(path)));
  return found;
}

/**
 * Whether the rows of a composition only link its source with others, along an association of many to many.
 *
 * @param composition any composition
 */
export function holdsLinks(composition: LinkedElement): boolean {
  const { associations } = composition.parent as LinkedEntity;
  for (const association of associations) {
    if (throughOf(association)?.links.name === composition.name) return true;
  }
  return false;
}

function findThrough(association: LinkedElement, path: string): Through {
  const [first = "", last = ""] = path.split(".");
  const links = (association.parent as LinkedEntity | undefined)?.elements[first];
  const target = links?.$target?.elements[last];
  const isPath = links?.isAssociation && links.is2many && target?.isManaged;
  if (isPath && association.on === undefined) return { links, target };
  throw new ConfigurationError(
    isPath
      ? `"${association}" is defined by @odata.through, and cannot have a condition as well`
      : `@odata.through of "${association}" needs a path of a composition of many and a managed association`,
    placeOf(association),
  );
}
