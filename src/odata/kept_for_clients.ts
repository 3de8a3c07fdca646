/**
 * What is kept for clients that come back: where, for whom, and how it leaves.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import type { DatabaseService } from "../service/database_service.ts";
import type { ServiceHost } from "../service/host.ts";
import { contentTag } from "../util/content_tag.ts";
import type { Logger } from "../log/logger.ts";
import type { Csn } from "../model/csn.ts";
import { runDetached } from "../service/own_work.ts";
import type { RootTransactionOptions } from "../service/transactions/transaction.ts";

/** Name of the table with states of collections whose changes clients follow. */
export const SNAPSHOTS = "fw.outbox.Snapshots";

/** Name of the table with asynchronous requests and their answers. */
export const ASYNC_REQUESTS = "fw.outbox.Requests";

const text = { type: "cds.String", length: 255 } as const;
const digest = { type: "cds.String", length: 43 } as const;
const number = { type: "cds.Integer" } as const;
const large = { type: "cds.LargeString" } as const;
/** The time of the database: those of processes may differ. */
const at = { type: "cds.Timestamp", default: { ref: ["$now"] } } as const;

/** The tables of what clients come back for; they lie beside those of the outbox. */
export const CLIENT_TABLES: NonNullable<Csn["definitions"]> = {
  [SNAPSHOTS]: {
    kind: "entity",
    "@fw.index.series": ["series"],
    "@fw.index.service": ["appid", "service"],
    elements: {
      ID: { key: true, type: "cds.UUID" },
      appid: text,
      service: text,
      series: { type: "cds.UUID" },
      number,
      base: { type: "cds.UUID" },
      owner: digest,
      place: digest,
      length: number,
      sinceBase: number,
      at,
      data: large,
    },
  },
  [ASYNC_REQUESTS]: {
    kind: "entity",
    "@fw.index.service": ["appid", "service"],
    elements: {
      ID: { key: true, type: "cds.UUID" },
      appid: text,
      service: text,
      owner: digest,
      roles: large,
      method: { type: "cds.String", length: 10 },
      isOneTransaction: { type: "cds.Boolean" },
      state: { type: "cds.String", length: 9 },
      at,
      length: number,
      answer: large,
    },
  },
};

/**
 * The database that keeps, beside its outbox, what clients come back for, so that any process can answer them.
 *
 * @param host the runtime
 * @param tenant whose
 * @returns undefined where that stays in this process: without outbox, and where the database is in memory
 */
export async function keepingDatabase(
  { db, queue }: ServiceHost,
  tenant: string | undefined,
): Promise<DatabaseService | undefined> {
  if (db === undefined || queue?.isFor(tenant) !== true) return undefined;
  return (await db.database(tenant)).isVolatile ? undefined : db;
}

/**
 * Who comes back: a digest of user and tenant.
 *
 * @param context of a request
 */
export function clientOf({ user, tenant }: EventContext): string {
  return contentTag(JSON.stringify([tenant, user.id]));
}

/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Removes what is kept too long also where nobody comes who would notice: once for a tenant, later. */
export class LaterCleanup {
  readonly #timers: Map<string | undefined, ReturnType<typeof setTimeout>> = new Map();
  readonly #running: Set<Promise<void>> = new Set();
  readonly #log: (id: string) => Logger;
  #isClosed = false;

  /** @param log takes failures */
  constructor(log: (id: string) => Logger) {
    this.#log = log;
  }

  /**
   * Cleans up after a while, unless that is to come already.
   *
   * @param tenant whose
   * @param ms when
   * @param work what runs then, and by which root; it tells whether there is more to clean up afterwards
   */
  after(
    tenant: string | undefined,
    ms: number,
    work: { readonly root: RootTransactionOptions; readonly run: () => Promise<boolean> },
  ): void {
    if (this.#isClosed || this.#timers.has(tenant)) return;
    const begin = () => {
      this.#timers.delete(tenant);
      const done: Promise<void> = this.#run(work.run).then((isMore) => {
        this.#running.delete(done);
        if (isMore) this.after(tenant, ms, work);
      });
      this.#running.add(done);
    };
    const timer = runDetached(work.root, () => setTimeout(begin, Math.min(ms, MAX_TIMER_MS)));
    this.#timers.set(tenant, timer);
  }

  /** Nothing is cleaned up any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#running);
  }

  async #run(run: () => Promise<boolean>): Promise<boolean> {
    try {
      return await run();
    } catch (error) {
      // another process may do the same at that moment, or the database may be away
      this.#log("odata").info("Cannot remove what is kept for clients too long:", error);
      return true;
    }
  }
}
