/**
 * The entries of a service document (OData JSON 4.01, clause 5).
 *
 * @module
 */

import { edmName } from "./edm_types.ts";
import { hasParameters } from "./runtime_view.ts";
import type { LinkedEntity, LinkedService } from "./linked.ts";

/** An entity set or singleton of a service. */
export interface ServiceDocumentEntry {
  readonly name: string;
  readonly url: string;
  /** Missing for entity sets. */
  readonly kind?: "Singleton";
}

/**
 * The entity sets and singletons of a service: entities with a key, singletons also without. Views with parameters have
 * nothing to show at their name (`IncludeInServiceDocument`).
 *
 * @param service the service
 */
export function serviceDocument(service: LinkedService): readonly ServiceDocumentEntry[] {
  return exposedEntities(service).filter((one) => isSet(one) && !hasParameters(one)).map((entity) => {
    const name = edmName(entity);
    return isSingleton(entity) ? { name, url: name, kind: "Singleton" } : { name, url: name };
  });
}

/**
 * The entities of a service that clients see: in order of definition, each followed by those it is made from and
 * those its navigation reaches first.
 *
 * @param service the service
 */
export function exposedEntities(service: LinkedService): readonly LinkedEntity[] {
  const found = new Set<LinkedEntity>();
  for (const entity of service.entities) collect(found, { entity, service });
  return [...found].filter((entity) => entity["@cds.api.ignore"] !== true);
}

function collect(
  found: Set<LinkedEntity>,
  { entity, service }: { readonly entity: LinkedEntity; readonly service: LinkedService },
): void {
  if (found.has(entity) || entity.$service !== service) return;
  found.add(entity);
  if (entity.$source) collect(found, { entity: entity.$source, service });
  for (const { $target } of entity.associations) if ($target) collect(found, { entity: $target, service });
}

/**
 * Tells whether an entity is a singleton.
 *
 * @param entity the entity
 */
export function isSingleton(entity: LinkedEntity): boolean {
  return entity["@odata.singleton"] === true;
}

/**
 * Tells whether an entity has an entity set, or is a singleton.
 *
 * @param entity the entity
 */
export function isSet(entity: LinkedEntity): boolean {
  if (isContained(entity)) return false;
  return isSingleton(entity) || entity.$flatKeys.length > 0 || hasParameters(entity);
}

/**
 * Tells whether an entity is reached by navigation only: `@odata.contained` at the entity.
 *
 * @param entity the entity
 */
export function isContained(entity: LinkedEntity): boolean {
  return entity["@odata.contained"] === true;
}
