/**
 * The engines of a runtime: one, or with multitenancy one per tenant (spec 2.1, `tenant`).
 *
 * @module
 */

import type { Environment } from "../config/environment.ts";
import type { Row } from "../cqn/cqn.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { Database } from "../service/database.ts";
import type { MaybePromise } from "../util/maybe_promise.ts";
import { isTenantId } from "../util/is_tenant_id.ts";

/** How engines are opened. */
export interface TenantDatabasesOptions {
  /** Opens the engine of a tenant; `undefined` is the one for all, without multitenancy. */
  readonly open: (tenant: string | undefined) => Promise<Database>;
  /** Whether tenants are kept apart; otherwise there is one engine for all. */
  readonly multitenancy: boolean;
  /** Learns about the engines of tenants that are ready. */
  readonly opened?: (tenant: string) => void;
  /** Lets go of a tenant whose engine is about to be closed. */
  readonly closing?: (tenant: string) => Promise<void>;
  /** Refuses strangers before anything is opened for them; without it every tenant is admitted. */
  readonly admit?: (tenant: string) => MaybePromise<void>;
  /** Engines of tenants that may be open; default: all of them. */
  readonly limit?: number;
  /** How long an engine must not have been used before another one takes its place, in milliseconds. */
  readonly idleMs?: number;
  /** Whether something of a tenant goes on behind its answers, which needs its engine. */
  readonly isBusy?: (tenant: string) => boolean;
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
  /** When tenants used their engines last: those that are open. */
  readonly #used: Map<string, number> = new Map();

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
   * @throws ServiceError 401 without tenant in multitenant operation, or for what is no tenant; 403 for strangers; 503 where
   *   too many are in use
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

  /** The engines that are open. */
  all(): readonly Database[] {
    return [...this.#opened.values()];
  }

  #open(tenant: string | undefined): Promise<Database> {
    const opening = this.#deploy(tenant).finally(() => this.#pending.delete(tenant));
    this.#pending.set(tenant, opening);
    return opening;
  }

  async #deploy(tenant: string | undefined): Promise<Database> {
    const { admit, open, data, opened } = this.#options;
    if (tenant !== undefined) {
      await admit?.(tenant);
      await this.#makeRoom();
    }
    const database = await open(tenant);
    try {
      const { filled } = await database.deploy(data());
      if (tenant === undefined) this.filled = filled;
    } catch (error) {
      await database.close();
      throw error;
    }
    this.#opened.set(tenant, database);
    if (tenant !== undefined) {
      this.use(tenant);
      opened?.(tenant);
    }
    return database;
  }

  /** A tenant uses its engine, if it is open. */
  use(tenant: string): void {
    if (!this.#opened.has(tenant)) return;
    this.#used.delete(tenant);
    this.#used.set(tenant, performance.now());
  }

  /** Closes the engine of a tenant, if it is open; the next one who asks for it opens it again. */
  async release(tenant: string): Promise<void> {
    await this.#pending.get(tenant)?.catch(() => {});
    const database = this.#opened.get(tenant);
    if (database === undefined) return;
    this.#opened.delete(tenant);
    this.#used.delete(tenant);
    await this.#options.closing?.(tenant);
    await database.close();
  }

  /** What was not used for longest goes first, if that is long enough ago that nothing of it can still be running. */
  async #makeRoom(): Promise<void> {
    const { limit = Infinity, idleMs = 0, isBusy } = this.#options;
    if (this.#opened.size + this.#pending.size <= limit) return;
    for (const [tenant, at] of [...this.#used]) {
      if (performance.now() - at < idleMs) break;
      else if (isBusy?.(tenant)) this.use(tenant);
      else return await this.release(tenant);
    }
    throw new ServiceError({ status: 503, cause: new Error(`The databases of ${limit} tenants are in use`) });
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
