/**
 * Views with parameters.
 *
 * @module
 */

import type { LinkedEntity } from "./linked.ts";

/**
 * Whether an entity is a view with parameters: what it holds depends on their values, which all paths to it name.
 *
 * @param entity the entity
 */
export function hasParameters({ params }: LinkedEntity): boolean {
  return Object.keys(params).length > 0;
}
