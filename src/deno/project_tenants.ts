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
