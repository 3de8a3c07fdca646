/**
 * Upgrades of tenants that run behind their answer, as rows beside the list of tenants: any process tells how they go.
 *
 * @module
 */

import type { Expression, Row, Xo } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { Logger } from "../../log/logger.ts";
import { TENANT_JOBS, type TenantList } from "./tenant_list.ts";
import type { TenantOperations, TenantOutcome } from "./tenant_operations.ts";

/** Upgrades that are remembered: the oldest goes first. */
const MOST_JOBS = 50;
/** How often a process tells how an upgrade goes, */
const BEAT_MS = 2_000;
/** and after which silence it has ended. */
const SILENCE_MS = 30_000;

/** How an upgrade goes. */
export interface TenantJob {
  readonly ID: string;
  readonly status: "RUNNING" | "FINISHED" | "FAILED";
  readonly tenants: Readonly<Record<string, TenantProgress>>;
}

interface TenantProgress {
  readonly status: "QUEUED" | "FINISHED" | "FAILED";
  readonly error?: string;
}

/** Upgrades under way, and how the latest ended. */
export class TenantJobs {
  readonly #operations: TenantOperations;
  readonly #concurrency: number | undefined;
  readonly #log: Logger;

  /**
   * @param operations do the work
   * @param options how many tenants are upgraded at a time; takes failures
   */
  constructor(
    operations: TenantOperations,
    { concurrency, log }: { readonly concurrency: number | undefined; readonly log: Logger },
  ) {
    this.#operations = operations;
    this.#concurrency = concurrency;
    this.#log = log;
  }

  /**
   * Begins an upgrade.
   *
   * @param tenants which; undefined: all
   * @throws ServiceError 404 for one that has not subscribed
   */
  async begin(tenants: readonly string[] | undefined): Promise<TenantJob> {
    const { list } = this.#operations;
    const all = (await list.all()).map(({ tenant }) => tenant);
    const stranger = tenants?.find((tenant) => !all.includes(tenant));
    if (stranger !== undefined) {
      throw new ServiceError({ status: 404, message: `Tenant "${stranger}" has not subscribed` });
    }
    const queued = (tenants ?? all).map((name) => [name, { status: "QUEUED" }] as const);
    const job: TenantJob = {
      ID: crypto.randomUUID(),
      status: "RUNNING",
      tenants: Object.fromEntries(queued),
    };
    await this.#removeOld(list);
    await list.run({ INSERT: { into: TENANT_JOBS, entries: [rowOf(job)] } });
    void this.#run(job);
    return job;
  }

  /**
   * How an upgrade goes.
   *
   * @throws ServiceError 404 for one that is not known, or not any more
   */
  async find(ID: string): Promise<TenantJob> {
    const columns = ["status", "tenants", "at"].map((name) => ({ ref: [name] as const }));
    const found = await this.#operations.list.run({
      SELECT: {
        one: true,
        from: { ref: [TENANT_JOBS] },
        columns: [...columns, { ...NOW, as: "now" }],
        where: isJob(ID),
      },
    }) as Row | null;
    if (found === null) throw new ServiceError({ status: 404 });
    const { status, tenants, at, now } = found;
    const job = { ID, status, tenants: JSON.parse(String(tenants)) } as TenantJob;
    const isSilent = Date.parse(String(now)) - Date.parse(String(at)) > SILENCE_MS;
    return status === "RUNNING" && isSilent ? ended(job) : job;
  }

  /** Tells how it goes as it goes, and not for each of many tenants. */
  async #run(begun: TenantJob): Promise<void> {
    let job = begun;
    const beat = setInterval(() => void this.#tell(job), BEAT_MS);
    try {
      const outcomes = await this.#operations.upgrade({
        tenants: Object.keys(job.tenants),
        concurrency: this.#concurrency,
        onProgress: (outcome) =>
          job = { ...job, tenants: { ...job.tenants, [outcome.tenant]: progressOf(outcome) } },
      });
      job = { ...job, status: outcomes.some(({ error }) => error) ? "FAILED" : "FINISHED" };
    } catch (error) {
      this.#log.error("Tenants cannot be upgraded:", error);
      job = { ...job, status: "FAILED" };
    } finally {
      clearInterval(beat);
    }
    void this.#tell(job);
  }

  async #tell(job: TenantJob): Promise<void> {
    const { ID: _ID, ...data } = rowOf(job);
    try {
      await this.#operations.list.run({
        UPDATE: { entity: TENANT_JOBS, data, with: { at: NOW }, where: isJob(job.ID) },
      });
    } catch (error) {
      this.#log.warn("The state of an upgrade of tenants cannot be stored:", error);
    }
  }

  /** Makes room for one. */
  async #removeOld(list: TenantList): Promise<void> {
    const limit = { rows: { val: 1_000 }, offset: { val: MOST_JOBS - 1 } };
    const orderBy = [{ ref: ["at"], sort: "desc" }] as const;
    const old = await list.run({
      SELECT: { from: { ref: [TENANT_JOBS] }, columns: [{ ref: ["ID"] }], orderBy, limit },
    }) as readonly Row[];
    if (old.length === 0) return;
    const where: Xo[] = [{ ref: ["ID"] }, "in", { list: old.map(({ ID }) => ({ val: String(ID) })) }];
    await list.run({ DELETE: { from: { ref: [TENANT_JOBS] }, where } });
  }
}

/** The time of the database: those of processes may differ. */
const NOW: Expression = { func: "current_timestamp" };

function isJob(ID: string): readonly Xo[] {
  return [{ ref: ["ID"] }, "=", { val: ID }];
}

function rowOf({ ID, status, tenants }: TenantJob): Row {
  return { ID, status, tenants: JSON.stringify(tenants) };
}

function progressOf({ error }: TenantOutcome): TenantProgress {
  return error ? { status: "FAILED", error: error.message } : { status: "FINISHED" };
}

/** An upgrade whose process has ended: what it had not come to is to be upgraded again. */
function ended({ ID, tenants }: TenantJob): TenantJob {
  const failed = { status: "FAILED", error: "The process that did the upgrade has ended" } as const;
  const now = Object.entries(tenants).map(([name, one]) => [name, one.status === "QUEUED" ? failed : one]);
  return { ID, status: "FAILED", tenants: Object.fromEntries(now) };
}
