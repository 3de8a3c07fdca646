/**
 * Names of entities in OData.
 *
 * @module
 */

import type { LinkedEntity } from "./linked.ts";

/**
 * The name of the entity set (or singleton) and of the entity type inside their service: `Orders.Items` is
 * `Orders_Items`.
 *
 * @param entity an entity of a service
 */
export function edmName(entity: LinkedEntity): string {
  return entity.$localName.replaceAll(".", "_");
}
