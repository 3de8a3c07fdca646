/**
 * The engines of a runtime: one, or with multitenancy one per tenant (spec 2.1, `tenant`).
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import type { Row } from "../cqn/cqn.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { Database } from "../service/database.ts";
import { isTenantId } from "../util/is_tenant_id.ts";

/** How engines are opened. */
export interface TenantDatabasesOptions {
  /** Opens the engine of a tenant; `undefined` is the one for all, without multitenancy. */
  readonly open: (tenant: string | undefined) => Promise<Database>;
  /** Whether tenants are kept apart; otherwise there is one engine for all. */
  readonly multitenancy: boolean;
  /** Learns about the engines of tenants that are ready. */
  readonly opened?: (tenant: string) => void;
  /** Initial rows by entity name. */
  readonly data: () => ReadonlyMap<string, readonly Row[]> | undefined;
}

/** Whether a configuration keeps tenants apart (`fw.requires.multitenancy`). */
export function isMultitenant({ requires }: Pick<Environment, "requires">): boolean {
  return (requires as Readonly<Record<string, unknown>>).multitenancy === true;
}

/** Gives each tenant its engine, opened and deployed on first use. Tenants come from verified users only. */
export class TenantDatabases {
  /** Names of the entities that got their initial rows when the engine for all was opened. */
  filled: readonly string[] = [];
  readonly #options: TenantDatabasesOptions;
  readonly #opened: Map<string | undefined, Database> = new Map();
  readonly #pending: Map<string | undefined, Promise<Database>> = new Map();

  /**
   * Opens nothing yet.
   *
   * @param options how engines are opened
   */
  constructor(options: TenantDatabasesOptions) {
    this.#options = options;
  }

  /**
   * The engine of a tenant.
   *
   * @param tenant the tenant; ignored without multitenancy
   * @throws ServiceError 401 without tenant in multitenant operation, or for what is no tenant
   */
  of(tenant: string | undefined): Database | Promise<Database> {
    const { multitenancy } = this.#options;
    if (multitenancy && !isTenantId(tenant)) throw noTenant(tenant);
    const key = multitenancy ? tenant : undefined;
    return this.#opened.get(key) ?? this.#pending.get(key) ?? this.#open(key);
  }

  /**
   * The engine of a tenant, if it is open.
   *
   * @param tenant the tenant; ignored without multitenancy
   */
  opened(tenant: string | undefined): Database | undefined {
    return this.#opened.get(this.#options.multitenancy ? tenant : undefined);
  }

  #open(tenant: string | undefined): Promise<Database> {
    const opening = this.#deploy(tenant).finally(() => this.#pending.delete(tenant));
    this.#pending.set(tenant, opening);
    return opening;
  }

  async #deploy(tenant: string | undefined): Promise<Database> {
    const database = await this.#options.open(tenant);
    try {
      const { filled } = await database.deploy(this.#options.data());
      if (tenant === undefined) this.filled = filled;
    } catch (error) {
      await database.close();
      throw error;
    }
    this.#opened.set(tenant, database);
    if (tenant !== undefined) this.#options.opened?.(tenant);
    return database;
  }

  /** Opens what needs no tenant. */
  async start(): Promise<void> {
    if (!this.#options.multitenancy) await this.of(undefined);
  }

  /** Restores the initial rows of all engines opened so far. */
  async reset(): Promise<void> {
    for (const database of this.#opened.values()) await database.reset(this.#options.data());
  }

  /** Closes all engines. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#pending.values());
    for (const database of this.#opened.values()) await database.close();
    this.#opened.clear();
  }
}

/** Nobody's rows are read by accident: there is no database that belongs to no tenant. */
function noTenant(tenant: string | undefined): ServiceError {
  const reason = tenant === undefined ? "without tenant" : "for a malformed tenant";
  return new ServiceError({ status: 401, cause: new Error(`The database was asked ${reason}`) });
}
