/**
 * Destinations of remote services: by the configuration, or by a module of the project.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { DestinationCredentials, DestinationResolver } from "../odata/remote/remote_connection.ts";
import type { RuntimeParts } from "./runtime_parts.ts";

/**
 * Who looks up destinations: the table of kinds, the module that `fw.destinations.impl` names, else the entries of
 * `fw.destinations`.
 *
 * @param runtime its configuration
 */
export function destinationResolver({ env, kinds }: RuntimeParts): DestinationResolver {
  if (kinds.destinations) return kinds.destinations;
  const { impl, ...entries } = (env.destinations ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof impl !== "string") return (name) => entryOf(entries, name);
  let loaded: Promise<DestinationResolver> | undefined;
  return async (name, caller) => {
    const resolve = await (loaded ??= load(impl, kinds.importModule));
    return entryOf(entries, name) ?? await resolve(name, caller);
  };
}

function entryOf(
  entries: Readonly<Record<string, unknown>>,
  name: string,
): DestinationCredentials | undefined {
  return Object.hasOwn(entries, name) ? entries[name] as DestinationCredentials : undefined;
}

async function load(
  path: string,
  importModule: RuntimeParts["kinds"]["importModule"],
): Promise<DestinationResolver> {
  if (!importModule) throw new ConfigurationError(`"${path}" cannot be imported here`);
  const module = await importModule(path);
  if (typeof module.default === "function") return module.default as DestinationResolver;
  throw new ConfigurationError(`"${path}" must export a function by default that looks up destinations`);
}
