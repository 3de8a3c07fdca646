/**
 * The tenants of a project whose server may be running.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { databaseOpener } from "../fw/open_database.ts";
import { isMultitenant } from "../fw/tenant_databases.ts";
import { openTenants } from "../fw/tenants/open_tenants.ts";
import type { TenantOperations } from "../fw/tenants/tenant_operations.ts";
import { loadData } from "./load_data.ts";
import { loadProject } from "./load_project.ts";
import type { Environment } from "../config/environment.ts";
import { isTenantId } from "../util/is_tenant_id.ts";

/**
 * Works with the tenants of a project; its runtime does not start.
 *
 * @param folder root of the project
 * @param run the work
 * @throws ConfigurationError without multitenancy, and without a database that outlives the process
 */
export async function withTenants<T>(
  folder: string,
  run: (operations: TenantOperations) => Promise<T>,
): Promise<T> {
  const { runtime, dataFiles } = await loadProject(folder);
  const { env, kinds, deployedModel: model } = runtime;
  if (!isMultitenant(env)) {
    throw new ConfigurationError('There are no tenants: "fw.requires.multitenancy" is not set');
  }
  const warn = (text: string) => runtime.log("db").warn(text);
  const open = await databaseOpener({ env, kinds, model, warn });
  const data = () => loadData(dataFiles, model, { remarks: env.remarks });
  const tenants = await openTenants({ env, kinds, model, open, data });
  if (tenants === undefined) {
    throw new ConfigurationError(
      `The project in "${folder}" names no database that outlives the process: configure "fw.requires.db"`,
    );
  }
  try {
    return await run(tenants.operations);
  } finally {
    await tenants.operations.list.close();
  }
}

/**
 * Checks the tenant whose database a command is about.
 *
 * @param env configuration
 * @param tenant what `--tenant` says
 * @returns the tenant; `undefined` where there is one database for all
 * @throws ConfigurationError where a tenant is missing, malformed, or there are none
 */
export function namedTenant(env: Environment, tenant: string | undefined): string | undefined {
  if (!isMultitenant(env)) {
    if (tenant === undefined) return undefined;
    throw new ConfigurationError('All tenants have one database: "fw.requires.multitenancy" is not set');
  }
  if (tenant === undefined) {
    throw new ConfigurationError("Each tenant has a database of its own: name one by --tenant");
  }
  if (isTenantId(tenant)) return tenant;
  throw new ConfigurationError(
    `"${tenant}" is no name of a tenant: up to 64 letters, digits, "_", "." and "-" are expected`,
  );
}
