/**
 * The tenants of a runtime or of a project.
 *
 * @module
 */

import type { Environment } from "../../config/environment.ts";
import type { Row } from "../../cqn/cqn.ts";
import type { LinkedModel } from "../../model/linked.ts";
import { databaseOpener, type OpenDatabase } from "../open_database.ts";
import type { Kinds } from "../kinds.ts";
import { isStored } from "../stored_database.ts";
import { isMultitenant } from "../tenant_databases.ts";
import { configuredTenants, KnownTenants } from "./known_tenants.ts";
import { LIST_OWNER, TenantList, tenantListModel } from "./tenant_list.ts";
import { TenantOperations } from "./tenant_operations.ts";

/** What tenants are opened with. */
export interface TenantsOptions {
  readonly env: Environment;
  readonly kinds: Kinds;
  /** What tables of tenants are made from. */
  readonly model: LinkedModel;
  /** Opens the database of a tenant. */
  readonly open: OpenDatabase;
  /** Initial rows. */
  readonly data: () => ReadonlyMap<string, readonly Row[]> | undefined;
  /** Is told of each tenant that is admitted. */
  readonly used?: (tenant: string) => void;
  /** Lets go of the database of a tenant that is about to be removed. */
  readonly release?: (tenant: string) => Promise<void>;
}

/** Who is admitted, and what can be done with tenants. */
export interface Tenants {
  readonly known: KnownTenants;
  readonly operations: TenantOperations;
}

/**
 * The tenants, where their databases outlive the process: nobody subscribes to what is gone with it.
 *
 * @param options configuration, model, databases
 * @returns undefined without multitenancy, and for databases in memory
 * @throws ConfigurationError for a kind of database that is not there
 */
export async function openTenants(options: TenantsOptions): Promise<Tenants | undefined> {
  const { env, kinds, model, open, data, used, release } = options;
  const { db } = env.requires;
  if (!isMultitenant(env) || !db || !isStored(db)) return undefined;
  const openList = await databaseOpener({ env, kinds, model: tenantListModel() });
  const list = new TenantList(() => openList(LIST_OWNER));
  const known = new KnownTenants(list, configuredTenants(env), used);
  const changed = (tenant: string) => known.forget(tenant);
  return { known, operations: new TenantOperations({ list, open, model, data, changed, release }) };
}
