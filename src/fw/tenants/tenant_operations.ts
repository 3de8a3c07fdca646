/**
 * Subscribing, upgrading and unsubscribing tenants.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { contentTag } from "../../util/content_tag.ts";
import { runAtMost } from "../../util/turns.ts";
import { csnOf } from "../../model/link_model.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { DeployOptions } from "../../service/database.ts";
import type { OpenDatabase } from "../open_database.ts";
import type { ListedTenant, TenantList } from "./tenant_list.ts";

/** Tenants that are upgraded at a time, unless the caller says so. */
const DEFAULT_CONCURRENCY = 4;

/** What operations are made from. */
export interface TenantOperationsOptions {
  readonly list: TenantList;
  /** Opens the database of a tenant. */
  readonly open: OpenDatabase;
  /** What tables are made from. */
  readonly model: LinkedModel;
  /** Initial rows. */
  readonly data: () => ReadonlyMap<string, readonly Row[]> | undefined;
  /** Is told of each tenant that has come or gone. */
  readonly changed?: (tenant: string) => void;
  /** Lets go of the database of a tenant that is about to be removed. */
  readonly release?: (tenant: string) => Promise<void>;
}

/** What became of a tenant. */
export interface TenantOutcome {
  readonly tenant: string;
  /** Statements that its database needed; undefined where it was up to date, or where it failed. */
  readonly statements?: number;
  /** Why it failed. */
  readonly error?: Error;
}

/** How tenants are upgraded. */
export interface UpgradeOptions extends Pick<DeployOptions, "mode"> {
  /** Only these; default: all. */
  readonly tenants?: readonly string[];
  /** How many at a time. */
  readonly concurrency?: number;
  /** Is told of each tenant when it is done. */
  readonly onProgress?: (outcome: TenantOutcome, done: number, all: number) => void;
}

/** The life of tenants. */
export class TenantOperations {
  readonly #options: TenantOperationsOptions;
  #version: string | undefined;

  /** @param options list, databases, model */
  constructor(options: TenantOperationsOptions) {
    this.#options = options;
  }

  /** The list. */
  get list(): TenantList {
    return this.#options.list;
  }

  /** Whether the database of a tenant was brought to the model before. */
  isUpToDate({ status, version }: ListedTenant): boolean {
    return status === "ready" && version === this.#modelVersion();
  }

  /**
   * Subscribes a tenant: its database is made. Done again, what is known of the tenant is replaced.
   *
   * @param tenant the tenant
   * @param metadata what the platform says of it
   * @returns whether it is new
   */
  async subscribe(tenant: string, metadata?: Readonly<Record<string, unknown>>): Promise<boolean> {
    const { list, changed } = this.#options;
    const known = await list.find(tenant);
    const isNew = known === undefined || known.status === "new";
    const now = new Date().toISOString();
    // nobody is admitted before the database is there
    if (isNew) await list.put(tenant, { status: "new", subscribedAt: now, metadata });
    else if (metadata) await list.put(tenant, { metadata });
    await this.#deploy(tenant, { status: isNew ? "new" : "failed" });
    changed?.(tenant);
    return isNew;
  }

  /**
   * Brings the databases of tenants to what the model says, several at a time. Those that were brought there before are
   * skipped, so that an upgrade that was interrupted goes on where it ended; one that fails does not stop the others.
   *
   * @param options which, and how
   * @returns what became of each
   * @throws ConfigurationError for a tenant that has not subscribed
   */
  async upgrade(options: UpgradeOptions = {}): Promise<readonly TenantOutcome[]> {
    const { concurrency = DEFAULT_CONCURRENCY, onProgress, mode } = options;
    const chosen = await this.#chosen(options.tenants);
    let done = 0;
    return await runAtMost(concurrency, chosen, async (tenant) => {
      const outcome = await this.#upgraded(tenant, mode);
      onProgress?.(outcome, ++done, chosen.length);
      return outcome;
    });
  }

  /**
   * Unsubscribes a tenant: from now on nobody of it is admitted.
   *
   * @param tenant the tenant
   * @param options `keepData`: its database stays
   * @returns whether it had subscribed
   */
  async unsubscribe(
    tenant: string,
    { keepData = false }: { readonly keepData?: boolean } = {},
  ): Promise<boolean> {
    const { list, open, changed, release } = this.#options;
    if (await list.find(tenant) === undefined) return false;
    await list.remove(tenant);
    changed?.(tenant);
    await release?.(tenant);
    if (keepData) return true;
    const database = await open(tenant);
    if (database.drop) await database.drop();
    else await database.close();
    return true;
  }

  async #chosen(names: readonly string[] | undefined): Promise<readonly ListedTenant[]> {
    const all = await this.#options.list.all();
    if (names === undefined) return all;
    return names.map((name) => {
      const found = all.find(({ tenant }) => tenant === name);
      if (found === undefined) throw new ConfigurationError(`Tenant "${name}" has not subscribed`);
      return found;
    });
  }

  async #upgraded(listed: ListedTenant, mode: DeployOptions["mode"]): Promise<TenantOutcome> {
    const { tenant } = listed;
    if (this.isUpToDate(listed)) return { tenant };
    try {
      const status = listed.status === "new" ? "new" : "failed";
      return { tenant, statements: await this.#deploy(tenant, { status, mode }) };
    } catch (error) {
      return { tenant, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  /** @param how in which status it is left where it fails */
  async #deploy(
    tenant: string,
    { status, mode }: { readonly status: "new" | "failed" } & Pick<DeployOptions, "mode">,
  ): Promise<number> {
    const { list, open, data } = this.#options;
    try {
      const database = await open(tenant);
      let statements: number;
      try {
        statements = (await database.deploy(data(), { mode })).statements.length;
      } finally {
        await database.close();
      }
      const upgradedAt = new Date().toISOString();
      await list.put(tenant, { status: "ready", version: this.#modelVersion(), upgradedAt, lastError: null });
      return statements;
    } catch (error) {
      await list.put(tenant, { status, lastError: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  #modelVersion(): string {
    return this.#version ??= contentTag(JSON.stringify(csnOf(this.#options.model)));
  }
}
