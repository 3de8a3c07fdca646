/**
 * Names of the entity types of a service.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { typeHierarchy } from "./derived_types.ts";
import { edmTypeName } from "./edm_property.ts";
import type { LinkedEntity, LinkedService } from "./linked.ts";
import { placeOf } from "./place_of.ts";
import { exposedEntities } from "./service_document.ts";

/**
 * Checks that no two entities of a service have types of the same name: projections get `@odata.typeName` and
 * `@odata.subtypes` from what they show (CSDL 4.01, clause 5).
 *
 * @param service the service
 * @throws {ConfigurationError} with the place of the second one
 */
export function assertTypeNames(service: LinkedService): void {
  const taken = new Map<string, LinkedEntity>();
  for (const entity of exposedEntities(service)) {
    const names = typeHierarchy(entity)?.types.keys() ?? [edmTypeName(entity)];
    for (const name of names) {
      const other = taken.get(name);
      if (other) throw sameName(name, entity, other);
      taken.set(name, entity);
    }
  }
}

function sameName(name: string, entity: LinkedEntity, other: LinkedEntity): ConfigurationError {
  return new ConfigurationError(
    `"${entity.name}" has the type name "${name}" of "${other.name}" in the same service, ` +
      `expected an @odata.typeName and @odata.subtypes of its own, or null`,
    placeOf(entity),
  );
}
