/**
 * Whether several workers can serve an application as one process would.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import type { RateLimitSettings } from "../http/rate_limits.ts";
import type { RuntimeParts } from "./runtime_parts.ts";
import { isStored } from "./stored_database.ts";
import { isMultitenant } from "./tenant_databases.ts";

/** What of `fw.server` is about this. */
interface ServerSettings {
  readonly live?: boolean;
  readonly metrics?: { readonly requires?: unknown; readonly port?: number };
  readonly rate_limits?: RateLimitSettings;
}

/**
 * Refuses what only one of several workers would know, and warns of what each of them counts for itself.
 *
 * @param runtime a runtime that has started
 * @throws ConfigurationError that names the key and what to do
 */
export async function assertSharedByWorkers(runtime: RuntimeParts): Promise<void> {
  const { env: { requires, outbox } } = runtime;
  if (requires.db && !await isShared(runtime)) {
    throw new ConfigurationError(
      'Several workers need a database that they share: "fw.requires.db" is in memory, where each would have rows of its ' +
        "own; take PostgreSQL or a file of SQLite",
    );
  }
  const kept = keptForClients(runtime);
  if (kept !== undefined && (!requires.db || outbox === false)) {
    throw new ConfigurationError(
      `Several workers need a database with an outbox ("fw.requires.db", "fw.outbox") for ${kept}: only the worker that ` +
        "has answered would know them",
    );
  }
  const { metrics, rate_limits: limits = {} } = (runtime.env.server ?? {}) as ServerSettings; // as the schema has it
  if (metrics && (metrics.requires !== undefined || metrics.port === undefined)) {
    throw new ConfigurationError(
      'With several workers, measurements are told at "fw.server.metrics.port": behind "requires" they would be those of ' +
        "one worker",
    );
  }
  warnOfCounts(runtime, limits);
}

async function isShared({ env, db }: RuntimeParts): Promise<boolean> {
  if (isMultitenant(env)) return isStored(env.requires.db!);
  return (await db!.database(undefined)).isVolatile !== true;
}

/** What clients come back for, if there is anything. */
function keptForClients({ env, deployedModel, endpoints }: RuntimeParts): string | undefined {
  const { live = true } = (env.server ?? {}) as ServerSettings;
  const { respond_async: isAsync } = (env.odata ?? {}) as { readonly respond_async?: boolean };
  const isTracked = [...deployedModel.entities].some((entity) => entity["@odata.trackChanges"] === true);
  const hasEvents = live && endpoints.some(({ service }) => [...service.events].length > 0);
  const kept = [
    ...hasEvents ? ['events that clients follow ("fw.server.live")'] : [],
    ...isTracked ? ["delta links (@odata.trackChanges)"] : [],
    ...isAsync ? ['monitors of asynchronous requests ("fw.odata.respond_async")'] : [],
  ];
  return kept.length === 0 ? undefined : kept.join(", ");
}

function warnOfCounts({ env: { requires }, log }: RuntimeParts, limits: RateLimitSettings): void {
  const { per_address, per_user, per_tenant, concurrent_per_tenant, redis } = limits;
  const counts = { per_address, per_user, per_tenant };
  const counted = Object.entries(redis ? {} : counts).filter(([, most]) => most !== undefined).map(([key]) =>
    key
  );
  if (counted.length > 0) {
    log("server").warn(
      `Each worker counts requests for itself ("fw.server.rate_limits": ${
        counted.join(", ")
      }): "redis" beside them ` +
        "makes all count together",
    );
  }
  if (concurrent_per_tenant !== undefined) {
    log("server").warn('"fw.server.rate_limits.concurrent_per_tenant" is the number of each worker');
  }
  if (requires.db?.replicas !== undefined) {
    log("server").warn(
      'Users may read from replicas ("fw.requires.db.replicas") what was there before they wrote, where another worker ' +
        "took the change",
    );
  }
}
