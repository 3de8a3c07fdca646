/**
 * The tenant that a command names.
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { isMultitenant } from "../fw/tenant_databases.ts";
import { isTenantId } from "../util/is_tenant_id.ts";

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
