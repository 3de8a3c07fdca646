/**
 * The databases of a runtime and the service in front of them.
 *
 * @module
 */

import { DatabaseService } from "../service/database_service.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { databaseOpener, givesBytes } from "./open_database.ts";
import { explainedDatabase } from "./explanations.ts";
import type { RuntimeParts } from "./runtime_parts.ts";
import { observeEngines, type Watchers } from "./telemetry_of.ts";
import { isMultitenant, TenantDatabases, type TenantDatabasesOptions } from "./tenant_databases.ts";
import { openTenants, type Tenants } from "./tenants/open_tenants.ts";

/** What databases get from their runtime beside its parts. */
export interface DatabasesOptions
  extends Pick<TenantDatabasesOptions, "opened" | "closing" | "isBusy" | "data"> {
  /** Who is told of statements and queries. */
  readonly watchers: Watchers;
}

/** Databases that are open, and the service. */
export interface OpenDatabases {
  readonly databases: TenantDatabases;
  readonly service: DatabaseService;
  /** Who is admitted; undefined where every tenant is. */
  readonly tenants?: Tenants;
}

/**
 * Prepares the databases of a runtime, and opens none yet.
 *
 * @param runtime model, configuration, kinds
 * @param options initial rows, who is told
 * @throws ConfigurationError for a kind that is not there
 */
export async function openDatabases(
  runtime: RuntimeParts & { readonly telemetry?: Telemetry },
  { opened, closing, isBusy, data, watchers: { statements: watch, explaining } }: DatabasesOptions,
): Promise<OpenDatabases> {
  const { env, kinds, limits, modelOf, telemetry, deployedModel: model } = runtime;
  const warn = (text: string) => runtime.log("db").warn(text);
  const open = await databaseOpener({ env, kinds, limits, modelOf, telemetry, watch, warn, model });
  const tenants = await openTenants({
    ...{ env, kinds, model, open, data },
    used: (tenant) => databases.use(tenant),
    release: (tenant) => databases.release(tenant),
  });
  const databases = new TenantDatabases({
    open: explaining
      ? async (tenant) => explainedDatabase(await open(tenant), explaining.explanations)
      : open,
    multitenancy: isMultitenant(env),
    opened,
    closing,
    isBusy,
    data,
    admit: tenants && ((tenant) => tenants.known.admit(tenant)),
    // what is in memory must stay open
    limit: tenants && limits.tenantDatabases,
    // no request takes that long, nor what it leaves behind
    idleMs: 2 * limits.handlerMs,
  });
  if (telemetry) observeEngines(telemetry, () => databases.all());
  const service = new DatabaseService({
    name: "db",
    host: runtime,
    options: env.requires.db,
    database: (tenant) => databases.of(tenant),
    opened: (tenant) => databases.opened(tenant),
    givesBytes: givesBytes(env),
  });
  return { databases, service, tenants };
}
