/**
 * Views with parameters.
 *
 * @module
 */

import type { LinkedElements, LinkedEntity } from "./linked.ts";

/** A view with parameters. */
export type ViewWithParameters = LinkedEntity & { readonly params: LinkedElements };

/**
 * Whether an entity is a view with parameters: what it holds depends on their values, which all paths to it name.
 *
 * @param entity the entity
 */
export function hasParameters(entity: LinkedEntity): entity is ViewWithParameters {
  return entity.params !== undefined;
}
