/**
 * Where something of the model was declared.
 *
 * @module
 */

import type { ErrorPlace } from "../errors/configuration_error.ts";
import type { SourceLocation } from "../model/csn.ts";

/**
 * The place of a definition, element or operation for messages; empty if the model does not tell.
 *
 * @param declared something of a linked model; elements without a place of their own have that of what holds them
 */
export function placeOf(declared: object | undefined): ErrorPlace {
  for (let one = declared; one; one = (one as { readonly parent?: object }).parent) {
    const { $location: at } = one as { readonly $location?: SourceLocation };
    if (at) return { file: at.file, line: at.line, column: at.col };
  }
  return {};
}
