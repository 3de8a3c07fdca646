/**
 * The engines of a runtime: one, or with multitenancy one per tenant (spec 2.1, `tenant`).
 *
 * @module
 */

import type { Row } from "../cqn/cqn.ts";
import type { Database } from "../service/database.ts";

/** How engines are opened. */
export interface TenantDatabasesOptions {
  /** Opens the engine of a tenant; `undefined` is the one for callers without tenant. */
  readonly open: (tenant: string | undefined) => Promise<Database>;
  /** Whether tenants are kept apart; otherwise there is one engine for all. */
  readonly multitenancy: boolean;
  /** Initial rows by entity name. */
  readonly data: () => ReadonlyMap<string, readonly Row[]> | undefined;
}

/** Gives each tenant its engine, opened and deployed on first use. Tenants come from verified users only. */
export class TenantDatabases {
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
   */
  of(tenant: string | undefined): Database | Promise<Database> {
    const key = this.#options.multitenancy ? tenant : undefined;
    return this.#opened.get(key) ?? this.#pending.get(key) ?? this.#open(key);
  }

  #open(tenant: string | undefined): Promise<Database> {
    const opening = this.#deploy(tenant).finally(() => this.#pending.delete(tenant));
    this.#pending.set(tenant, opening);
    return opening;
  }

  async #deploy(tenant: string | undefined): Promise<Database> {
    const database = await this.#options.open(tenant);
    try {
      await database.deploy(this.#options.data());
    } catch (error) {
      await database.close();
      throw error;
    }
    this.#opened.set(tenant, database);
    return database;
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
