/**
 * Models in which services of other systems are served by this process.
 *
 * @module
 */

import type { Csn, CsnDefinition } from "./csn.ts";

/**
 * A model in which services are no longer those of other systems: they are not external, and their entities have tables.
 *
 * @param csn a parsed or inferred model; it is not changed
 * @param services full names of the services
 * @returns the model, in which `@cds.external` and `@cds.persistence.skip` are taken back
 */
export function servedInstead(csn: Csn, services: ReadonlySet<string>): Csn {
  if (services.size === 0) return csn;
  const prefixes = [...services].map((name) => `${name}.`);
  const definitions = Object.entries(csn.definitions ?? {}).map(([name, definition]) => {
    if (services.has(name)) return [name, { ...definition, "@cds.external": false }] as const;
    const isSkipped = isSkippedEntity(definition) && prefixes.some((prefix) => name.startsWith(prefix));
    return [name, isSkipped ? { ...definition, "@cds.persistence.skip": false } : definition] as const;
  });
  return { ...csn, definitions: Object.fromEntries(definitions) };
}

function isSkippedEntity(definition: CsnDefinition): boolean {
  return definition.kind === "entity" && definition["@cds.persistence.skip"] === true;
}
