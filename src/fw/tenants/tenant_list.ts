/**
 * The list of tenants that have subscribed, in a database of its own beside theirs.
 *
 * @module
 */

import { EventContext } from "../../context/event_context.ts";
import { User } from "../../context/user.ts";
import type { Query, Row, Xo } from "../../cqn/cqn.ts";
import { linkModel } from "../../model/link_model.ts";
import type { LinkedModel } from "../../model/linked.ts";
import type { Database } from "../../service/database.ts";

const ENTITY = "fw.tenants.Tenants";
/** Name of the table with upgrades that run behind their answer. */
export const TENANT_JOBS = "fw.tenants.Jobs";
/** In place of a tenant: it is no valid one, so that nobody's database has the same name. */
export const LIST_OWNER = "_tenants";
/** Characters of an error that are kept. */
const ERROR_LENGTH = 1_000;

/** The model of the list. */
export function tenantListModel(): LinkedModel {
  const text = { type: "cds.String", length: 255 } as const;
  return linkModel({
    definitions: {
      [ENTITY]: {
        kind: "entity",
        elements: {
          tenant: { key: true, type: "cds.String", length: 64 },
          status: { type: "cds.String", length: 20 },
          version: text,
          subscribedAt: { type: "cds.Timestamp" },
          upgradedAt: { type: "cds.Timestamp" },
          metadata: { type: "cds.LargeString" },
          lastError: { type: "cds.LargeString" },
        },
      },
      [TENANT_JOBS]: {
        kind: "entity",
        elements: {
          ID: { key: true, type: "cds.UUID" },
          status: { type: "cds.String", length: 20 },
          tenants: { type: "cds.LargeString" },
          at: { type: "cds.Timestamp", default: { ref: ["$now"] } },
        },
      },
    },
  });
}

/** `new`: its database is not there yet; `ready`; `failed`: it is there, but could not be upgraded. */
export type TenantStatus = "new" | "ready" | "failed";

/** A tenant. */
export interface ListedTenant {
  readonly tenant: string;
  readonly status: TenantStatus;
  /** The model that its database was brought to last. */
  readonly version?: string;
  readonly subscribedAt?: string;
  readonly upgradedAt?: string;
  /** What the platform says of it. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Why it could not be subscribed or upgraded. */
  readonly lastError?: string;
}

/** What changes of a tenant. */
export type TenantChange = Partial<Omit<ListedTenant, "tenant" | "lastError">> & {
  readonly lastError?: string | null;
};

/** Reads and changes the list. */
export class TenantList {
  readonly #open: () => Promise<Database>;
  #opened: Promise<Database> | undefined;

  /** @param open opens its database, which has the tables of `tenantListModel` when it is deployed */
  constructor(open: () => Promise<Database>) {
    this.#open = open;
  }

  /** All tenants by name. */
  async all(): Promise<readonly ListedTenant[]> {
    const rows = await this.run({
      SELECT: { from: { ref: [ENTITY] }, orderBy: [{ ref: ["tenant"], sort: "asc" }] },
    });
    return (rows as readonly Row[]).map(toTenant);
  }

  /** A tenant; undefined for one that has not subscribed. */
  async find(tenant: string): Promise<ListedTenant | undefined> {
    const query = { SELECT: { from: { ref: [ENTITY] }, where: isTenant(tenant) } };
    const [row] = await this.run(query) as readonly Row[];
    return row && toTenant(row);
  }

  /** Adds or changes a tenant. */
  async put(tenant: string, { metadata, lastError, ...change }: TenantChange): Promise<void> {
    const row = {
      tenant,
      ...change,
      ...metadata && { metadata: JSON.stringify(metadata) },
      ...lastError !== undefined && { lastError: lastError?.slice(0, ERROR_LENGTH) ?? null },
    };
    await this.run({ UPSERT: { into: { ref: [ENTITY] }, entries: [row] } });
  }

  /** Removes a tenant; its database stays. */
  async remove(tenant: string): Promise<void> {
    await this.run({ DELETE: { from: { ref: [ENTITY] }, where: isTenant(tenant) } });
  }

  /** Closes the database. */
  async close(): Promise<void> {
    await (await this.#opened?.catch(() => undefined))?.close();
  }

  /** Runs a query on its database. */
  async run(query: Query): Promise<unknown> {
    const database = await (this.#opened ??= this.#deployed().catch((error) => {
      // whoever asks next tries again
      this.#opened = undefined;
      throw error;
    }));
    const transaction = database.begin(new EventContext({ user: User.privileged }));
    try {
      const result = await transaction.run(query);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  async #deployed(): Promise<Database> {
    const database = await this.#open();
    try {
      await database.deploy();
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }
}

function isTenant(tenant: string): readonly Xo[] {
  return [{ ref: ["tenant"] }, "=", { val: tenant }];
}

function toTenant({ tenant, status, metadata, ...others }: Row): ListedTenant {
  const known = Object.entries(others).filter(([, value]) => value !== null && value !== undefined);
  return {
    tenant: String(tenant),
    status: status as TenantStatus,
    ...Object.fromEntries(known),
    ...typeof metadata === "string" && { metadata: JSON.parse(metadata) },
  };
}
