import type { Environment } from "../config/environment.ts";
import type { Csn, CsnDefinition } from "../model/csn.ts";
import { csnOf } from "../model/link_model.ts";
import type { LinkedModel } from "../model/linked.ts";
import { serveRuntimeViews } from "../model/runtime_view.ts";
import { withNestedStructures } from "../model/nested_structures.ts";

/**
 * A model as the configuration wants it: with `fw.odata.structs` its structures stay nested in OData, with
 * `fw.features.runtime_views` views are served that were not deployed.
 *
 * @param model the model of the application
 * @param env the configuration
 */
export function modelAsConfigured<M extends Csn | LinkedModel>(model: M, env: Environment): M | Csn {
  const nested = isNested(env) ? withNestedStructures(toCsn(model)) : model;
  return servesRuntimeViews(env) ? serveRuntimeViews(toCsn(nested)) : nested;
}

/**
 * What feature toggles add, as the configuration wants it.
 *
 * @param toggles what they add, by name
 * @param model what they add it to
 * @param env the configuration
 */
export function togglesAsConfigured(
  toggles: Readonly<Record<string, Csn>>,
  model: Csn | LinkedModel,
  env: Environment,
): Readonly<Record<string, Csn>> {
  if (!isNested(env)) return toggles;
  const entries = Object.entries(toggles).map(([name, added]) =>
    [name, withNestedStructures(added, withTypesOf(added, toCsn(model)))] as const
  );
  return Object.fromEntries(entries);
}

function withTypesOf(added: Csn, model: Csn): Csn {
  return { ...model, definitions: { ...model.definitions, ...added.definitions } };
}

function isNested({ odata }: Environment): boolean {
  return (odata as { readonly structs?: boolean } | undefined)?.structs === true;
}

function servesRuntimeViews({ features }: Environment): boolean {
  return (features as { readonly runtime_views?: boolean } | undefined)?.runtime_views === true;
}

function toCsn(model: Csn | LinkedModel): Csn {
  return "derived" in model && typeof model.derived === "function"
    ? csnOf(model as LinkedModel)
    : model as Csn; // it is no linked one
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
