/**
 * Services of the configuration that could not be called: their kind is none, or their URL.
 *
 * @module
 */

import type { RequiredService } from "../config/environment.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { remoteRoot } from "../odata/remote/remote_client.ts";
import { destinationOf } from "../odata/remote/remote_connection.ts";
import { nearestName } from "../util/nearest_name.ts";
import { OTHER_REMOTE_KINDS, REMOTE_KINDS } from "./mocked_services.ts";
import { channelKinds } from "./open_channels.ts";
import type { RuntimeParts } from "./runtime_parts.ts";

/** Entries that are checked by those who read them. */
const OWN_CHECKS: ReadonlySet<string> = new Set(["db", "auth", "messaging"]);

/**
 * Remarks what the first call of a service would fail at: kinds below `requires` that nothing knows, where the entry is about
 * a service of the model or the kind is almost a known one, as others may be those of plugins; and URLs that are none, which
 * stop the start in production, and destinations that nobody can find.
 *
 * @param runtime configuration, model, table of kinds
 */
export function remarkRemoteEntries(runtime: RuntimeParts): void {
  const { env, kinds, production } = runtime;
  for (const [name, entry] of Object.entries(env.requires)) {
    if (!entry || entry.impl !== undefined || OWN_CHECKS.has(name)) continue;
    remarkKind(name, entry, runtime);
    const kind = String(entry.kind);
    const isRemote = REMOTE_KINDS.includes(kind) && !Object.hasOwn(kinds.services ?? {}, kind);
    if (isRemote) remarkDestination(name, entry, runtime);
    if (isRemote && !production) remarkUrl(name, entry, runtime);
  }
}

function remarkKind(name: string, entry: RequiredService, { env, kinds, model }: RuntimeParts): void {
  const { kind, service = name } = entry;
  if (typeof kind !== "string" || Object.hasOwn(env.requires, kind)) return;
  const remote = [...REMOTE_KINDS, ...Object.keys(kinds.services ?? {})];
  const stores = { ...kinds.databases, ...channelKinds(kinds) };
  const known = [...remote, ...OTHER_REMOTE_KINDS, "memory", ...Object.keys(stores)];
  if (known.includes(kind)) return;
  const near = nearestName(kind, known);
  if (near === undefined && !model.service(String(service))) return;
  const hint = near === undefined
    ? `expected ${remote.join(", ")}, or "impl" with a class of the project`
    : `did you mean "${near}"?`;
  env.remarks.add(`"fw.requires.${name}.kind" is "${kind}", which is no kind of service; ${hint}`);
}

/** Only a module, or a table of kinds, can find destinations that the configuration does not have. */
function remarkDestination(name: string, entry: RequiredService, { env, kinds }: RuntimeParts): void {
  const destination = destinationOf(entry);
  const { impl, ...entries } = (env.destinations ?? {}) as Readonly<Record<string, unknown>>;
  if (destination === undefined || impl !== undefined || kinds.destinations) return;
  if (Object.hasOwn(entries, destination)) return;
  env.remarks.add(
    `"fw.requires.${name}.credentials.destination" is "${destination}", but "fw.destinations" has no such entry, and no ` +
      '"impl" that looks it up',
  );
}

function remarkUrl(name: string, options: RequiredService, { env }: RuntimeParts): void {
  const { url } = (options.credentials ?? {}) as { readonly url?: unknown };
  if (url === undefined || destinationOf(options) !== undefined) return;
  try {
    remoteRoot({ name, options });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    env.remarks.add(error.message);
  }
}
