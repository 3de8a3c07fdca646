/**
 * Models in which services of other systems are served by this process.
 *
 * @module
 */

import type { Csn, CsnExtension } from "./csn.ts";

/**
 * A model in which services are no longer those of other systems: they are not external, and their entities have tables.
 *
 * @param csn a parsed model; it is not changed
 * @param services full names of the services
 * @returns the model, with annotations that take back `@cds.external` and `@cds.persistence.skip`
 */
export function servedInstead(csn: Csn, services: ReadonlySet<string>): Csn {
  if (services.size === 0) return csn;
  const prefixes = [...services].map((name) => `${name}.`);
  const entities = Object.entries(csn.definitions ?? {}).filter(([name, definition]) =>
    definition.kind === "entity" && definition["@cds.persistence.skip"] === true &&
    prefixes.some((prefix) => name.startsWith(prefix))
  );
  const added: CsnExtension[] = [
    ...[...services].map((name) => ({ annotate: name, "@cds.external": false })),
    ...entities.map(([name]) => ({ annotate: name, "@cds.persistence.skip": false })),
  ];
  return { ...csn, extensions: [...csn.extensions ?? [], ...added] };
}
