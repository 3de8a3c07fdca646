/**
 * Places of linked definitions and elements in the source, for messages.
 *
 * @module
 */

import type { ErrorPlace } from "../errors/configuration_error.ts";
import type { SourceLocation } from "./csn.ts";

interface Placed {
  readonly parent?: object;
  readonly $location?: SourceLocation;
}

/**
 * The place of a definition, or of the definition that holds an element.
 *
 * @param item a linked definition or element
 * @returns empty for models that were compiled before
 */
export function placeOf(item: object | undefined): ErrorPlace {
  for (let current = item as Placed | undefined; current; current = current.parent as Placed | undefined) {
    const { $location: place } = current;
    if (place) return { file: place.file, line: place.line, column: place.col };
  }
  return {};
}
