import type { Environment } from "../config/environment.ts";
import type { Csn, CsnDefinition } from "../model/csn.ts";
import { serveRuntimeViews } from "../model/runtime_view.ts";
import { withNestedStructures } from "../model/nested_structures.ts";

/**
 * A model as the configuration wants it: with `fw.odata.structs` its structures stay nested in OData, with
 * `fw.features.runtime_views` views are served that were not deployed.
 *
 * @param model the model of the application
 * @param env the configuration
 */
export function modelAsConfigured(model: Csn, env: Environment): Csn {
  const nested = isNested(env) ? withNestedStructures(model) : model;
  return servesRuntimeViews(env) ? serveRuntimeViews(nested) : nested;
}

function isNested({ odata }: Environment): boolean {
  return (odata as { readonly structs?: boolean } | undefined)?.structs === true;
}

function servesRuntimeViews({ features }: Environment): boolean {
  return (features as { readonly runtime_views?: boolean } | undefined)?.runtime_views === true;
}

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
