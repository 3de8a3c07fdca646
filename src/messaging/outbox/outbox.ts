/**
 * The transactional outbox (`messaging` 6): work is stored with the transaction of the caller, and done after its commit.
 *
 * @module
 */

import { DEFAULT_LIMITS } from "../../config/limits.ts";
import { currentContext } from "../../context/store.ts";
import { EventContext } from "../../context/event_context.ts";
import type { Row } from "../../cqn/cqn.ts";
import type { Logger } from "../../log/logger.ts";
import type { DatabaseTransaction } from "../../service/database.ts";
import type { DatabaseService } from "../../service/database_service.ts";
import { runDetached } from "../../service/own_work.ts";
import type { Service } from "../../service/service.ts";
import {
  type RootTransaction,
  runInTransaction,
  transactionOf,
} from "../../service/transactions/transaction.ts";
import type { QueuedWork, QueueTiming, WorkQueue } from "../../service/queue/work_queue.ts";
import { retryDelayMs } from "../retry_delay.ts";
import { Dispatcher } from "./dispatcher.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { DEAD, MessageStore, type QueueState, replaceTask } from "./message_store.ts";
import { type GiveUpRules, OUTBOX_MESSAGES, queueTargetOf } from "./queue_model.ts";
import { type OutboxMessage, targetOf, toRow } from "./stored_work.ts";

const POLL_MS = 5_000;
/** How long a process that is to end goes on with a backlog. */
const STOPPING_MS = 1_000;
const DEFAULT_LIMIT = 100;
const DEFAULT_LEASE_MS = 30_000;
const DEFAULT_RULES: GiveUpRules = { maxAttempts: 10, maxAgeMs: 24 * 60 * 60 * 1000 };

/** What an outbox is made from. */
export interface OutboxOptions {
  /** The database. */
  readonly db: DatabaseService;
  /** Whether each tenant has a database of its own; then there is none without tenant. */
  readonly multitenancy: boolean;
  /** Name of the application; others may share the database. */
  readonly application: string;
  /** Takes failures. */
  readonly log: Logger;
  /** Finds the services that work is for. */
  readonly connect: (name: string) => Promise<Service>;
  /** When an attempt was the last one. */
  readonly rules?: Partial<GiveUpRules>;
  /** How long a worker may be silent before its rows are free for others; default: 30 s. */
  readonly leaseMs?: number;
  /** Milliseconds between two looks for work that other processes left; default: 5 s. */
  readonly pollMs?: number;
  /** How long a commit waits for channels where the database is in memory; default: that of the limits. */
  readonly storedMessagesMs?: number;
  /** Pause after a number of failed attempts, in milliseconds. */
  readonly retryDelayMs?: (attempts: number) => number;
}

/** Stores work and has it done. */
export class Outbox implements WorkQueue {
  readonly leaseMs: number;
  readonly #options: OutboxOptions;
  readonly #owner: string = crypto.randomUUID();
  readonly #tenants: Map<string | undefined, Tenant> = new Map();
  /** Who is woken at once behind a commit, and for which rows: many messages wake them once. */
  readonly #woken: WeakMap<RootTransaction, Map<string, string[]>> = new WeakMap();
  #isStarted = false;
  #isStopped = false;
  #isUsed = false;
  /** Whether this process has stored work. */
  #hasStored = false;
  #timer: ReturnType<typeof setInterval> | undefined;
  #polling: Promise<void> | undefined;

  /**
   * Reads nothing yet.
   *
   * @param options database and services
   */
  constructor(options: OutboxOptions) {
    this.#options = options;
    this.leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
  }

  /**
   * Whether there is a database to store work of a tenant in.
   *
   * @param tenant the tenant, if there is one
   */
  isFor(tenant: string | undefined): boolean {
    return tenant !== undefined || !this.#options.multitenancy;
  }

  /** Whether stored work is gone when the process ends; undefined where tenants have databases of their own. */
  async isVolatile(): Promise<boolean | undefined> {
    const { db, multitenancy } = this.#options;
    return multitenancy ? undefined : (await db.database(undefined)).isVolatile === true;
  }

  /**
   * Stores work in the transaction of the current context, or in one of its own.
   *
   * @param work the call
   * @param timing when it is made; default: after the commit
   */
  enqueue(work: QueuedWork, timing: QueueTiming = {}): MaybePromise<void> {
    const { task, after, isKept = false } = timing;
    return this.#store(work, timing, (row, { engine, context, transaction }) => {
      const isThere = task === undefined ? false : replaceTask(row, engine);
      return andThen(isThere, (isThere) => {
        if (!isThere) engine.enqueue!(OUTBOX_MESSAGES, row);
        const { tenant } = context;
        const id = isKept && this.#options.db.opened(tenant)?.isVolatile ? String(row.ID) : undefined;
        this.#wakeAfterCommit(transaction, { tenant, target: targetOf(work), after, id });
      });
    });
  }

  /**
   * Keeps work that was given up elsewhere as dead letter.
   *
   * @param work the call
   * @param failure how often it was tried, and why it failed
   */
  async bury(
    work: QueuedWork,
    { attempts, reason: lastError }: { readonly attempts: number; readonly reason: string },
  ): Promise<void> {
    const failure = { attempts, lastError, lastAttemptTimestamp: new Date().toISOString(), ...DEAD };
    await this.#store(
      work,
      {},
      (row, { engine }) => engine.enqueue!(OUTBOX_MESSAGES, { ...row, ...failure }),
    );
  }

  #store(
    work: QueuedWork,
    timing: QueueTiming,
    run: (row: Row, place: Place) => MaybePromise<void>,
  ): MaybePromise<void> {
    const { db, application } = this.#options;
    const context = currentContext();
    const transaction = transactionOf(context);
    if (transaction === undefined || context === undefined) {
      const own = new EventContext({}, context);
      return runInTransaction(own, () => this.#store(work, timing, run), db.rootOptions);
    }
    const row = toRow(work, context, { application, ...timing });
    return db.withEngine((engine) => run(row, { engine, context, transaction }));
  }

  /** From now on there may be work at any time: what other processes left is looked for, too. */
  use(): void {
    this.#isUsed = true;
    if (!this.#isStarted || this.#timer !== undefined) return;
    const { db, pollMs = POLL_MS } = this.#options;
    this.#timer = runDetached(db.rootOptions, () => setInterval(() => void this.#pollLeft(), pollMs));
  }

  /** Begins to work: first on what an earlier process left, and on what was stored before the start. */
  async start(): Promise<void> {
    this.#isStarted = true;
    if (!this.#options.multitenancy) this.#tenant(undefined);
    if (this.#isUsed) this.use();
    await (this.#hasStored ? this.#poll() : this.#pollLeft());
  }

  /**
   * Looks for work of a tenant whose database was opened just now.
   *
   * @param tenant the tenant
   */
  async open(tenant: string | undefined): Promise<void> {
    if (!this.#isStarted) return;
    this.#tenant(tenant);
    await this.#poll();
  }

  /**
   * Looks no more for work of a tenant whose database is about to be closed.
   *
   * @param tenant the tenant
   */
  async leave(tenant: string): Promise<void> {
    const left = this.#tenants.get(tenant);
    this.#tenants.delete(tenant);
    await this.#polling;
    await Promise.all([...left?.dispatchers.values() ?? []].map((one) => one.stop()));
  }

  /** Does what is due, and resolves when it is done or has failed. */
  async flush(): Promise<void> {
    await this.#poll();
    await Promise.all([...this.#tenants.values()].map(idle));
  }

  /**
   * Ends after the work under way.
   *
   * @param drainMs how long what is due may take; the rest stays stored
   */
  async stop(drainMs: number): Promise<void> {
    if (this.#isStarted && this.#isUsed) await within(await this.#flushMs(drainMs), this.flush());
    this.#isStarted = false;
    this.#isStopped = true;
    clearInterval(this.#timer);
    while (this.#polling) await this.#polling;
    const all = [...this.#tenants.values()].flatMap(({ dispatchers }) => [...dispatchers.values()]);
    // a channel that neither takes nor refuses a message must not keep a process alive
    await within(drainMs, Promise.all(all.map((one) => one.stop())));
  }

  /** What a database keeps can as well leave at the next start. */
  async #flushMs(drainMs: number): Promise<number> {
    return await this.isVolatile() === true ? drainMs : Math.min(drainMs, STOPPING_MS);
  }

  /**
   * Messages that were given up, oldest first.
   *
   * @param options how many at most (default 100), whose, and the key of one or its beginning (default: all)
   */
  deadLetters(
    { limit = DEFAULT_LIMIT, tenant, id }: {
      readonly limit?: number;
      readonly tenant?: string;
      readonly id?: string;
    } = {},
  ): Promise<readonly OutboxMessage[]> {
    return this.#tenant(tenant).store.deadLetters(limit, id);
  }

  /** How much is waiting and since when, and how much was given up, by service; of all tenants whose databases are open. */
  async states(): Promise<readonly QueueState[]> {
    const all = await Promise.all([...this.#tenants.values()].map(({ store }) => store.states()));
    const states = new Map<string, QueueState>();
    for (const state of all.flat()) {
      const known = states.get(state.target);
      states.set(
        state.target,
        known === undefined ? state : {
          target: state.target,
          waiting: known.waiting + state.waiting,
          oldestAgeMs: Math.max(known.oldestAgeMs, state.oldestAgeMs),
          dead: known.dead + state.dead,
        },
      );
    }
    return [...states.values()];
  }

  /**
   * Tries dead letters again: with no attempts counted, now.
   *
   * @param options key of one, and whose; default: all
   * @returns how many there were
   */
  async revive({ id, tenant }: { readonly id?: string; readonly tenant?: string } = {}): Promise<number> {
    const count = await this.#tenant(tenant).store.revive(id);
    if (count > 0) this.#hasStored = true;
    if (count > 0 && this.#isStarted) await this.#poll();
    return count;
  }

  /**
   * Removes a dead letter.
   *
   * @param options its key, and whose
   * @returns whether it was there
   */
  discard({ id, tenant }: { readonly id: string; readonly tenant?: string }): Promise<boolean> {
    return this.#tenant(tenant).store.discard(id);
  }

  /** Wakes the worker; the commit waits for rows that should be stored elsewhere before it returns. */
  #wakeAfterCommit(transaction: RootTransaction, { tenant, target, after, id }: Awakening): void {
    const ids = id === undefined ? [] : [id];
    if (after === undefined) {
      const woken = this.#woken.get(transaction) ?? new Map<string, string[]>();
      const known = woken.get(target);
      if (known) return void known.push(...ids);
      this.#woken.set(transaction, woken.set(target, ids));
    }
    transaction.afterCommit(() => {
      this.#hasStored = true;
      this.use();
      if (!this.#isStarted && (ids.length === 0 || this.#isStopped)) return;
      const dispatcher = this.#dispatcher(tenant, target);
      if (ids.length === 0 || dispatcher.isAtWorkIn(transaction.context)) return dispatcher.wake(after);
      const { storedMessagesMs = DEFAULT_LIMITS.storedMessagesMs } = this.#options;
      return within(storedMessagesMs, dispatcher.published(ids));
    });
  }

  /** A look that is under way may have passed what is there now: another one begins behind it. */
  async #poll(tenants: Iterable<[string | undefined, Tenant]> = this.#tenants): Promise<void> {
    while (this.#polling) await this.#polling;
    await (this.#polling = this.#look(tenants).finally(() => this.#polling = undefined));
  }

  /** What this process stores wakes the worker: where nobody else can store anything, there is nothing to look for. */
  async #pollLeft(): Promise<void> {
    if (this.#polling) return;
    const { db } = this.#options;
    const mayBeLeft = [...this.#tenants].filter(([name, { dispatchers }]) =>
      !db.opened(name)?.isVolatile || [...dispatchers.values()].some(({ hasFailed }) => hasFailed)
    );
    await this.#poll(mayBeLeft);
  }

  async #look(tenants: Iterable<[string | undefined, Tenant]>): Promise<void> {
    for (const [tenant, { store }] of tenants) {
      try {
        for (const target of await store.pendingTargets()) {
          this.use();
          this.#dispatcher(tenant, target).wake();
        }
      } catch (error) {
        if (this.#isUsed) this.#options.log.error("Cannot read the outbox:", error);
      }
    }
  }

  #tenant(given: string | undefined): Tenant {
    const name = this.#options.multitenancy ? given : undefined;
    let tenant = this.#tenants.get(name);
    if (tenant === undefined) {
      const { db, application } = this.#options;
      const { leaseMs } = this;
      const store = new MessageStore({ db, tenant: name, application, owner: this.#owner, leaseMs });
      this.#tenants.set(name, tenant = { store, dispatchers: new Map() });
    }
    return tenant;
  }

  #dispatcher(name: string | undefined, target: string): Dispatcher {
    const { connect, rules, log, db, retryDelayMs: delay = retryDelayMs } = this.#options;
    const { dispatchers, store } = this.#tenant(name);
    let dispatcher = dispatchers.get(target);
    if (dispatcher === undefined) {
      dispatcher = new Dispatcher({
        ...{ target, store, retryDelayMs: delay, root: { ...db.rootOptions, log } },
        connect: async (service) => queueTargetOf(await connect(service)),
        rules: { ...DEFAULT_RULES, ...rules },
      });
      dispatchers.set(target, dispatcher);
    }
    return dispatcher;
  }
}

/** What a commit wakes a worker for. */
interface Awakening {
  readonly tenant?: string;
  readonly target: string;
  /** When, if later. */
  readonly after?: number;
  /** The row that the commit waits for. */
  readonly id?: string;
}

/** Where a row is stored. */
interface Place {
  readonly engine: DatabaseTransaction;
  readonly context: EventContext;
  readonly transaction: RootTransaction;
}

/** The work of one tenant. */
interface Tenant {
  readonly store: MessageStore;
  readonly dispatchers: Map<string, Dispatcher>;
}

async function idle({ dispatchers }: Tenant): Promise<void> {
  await Promise.all([...dispatchers.values()].map((one) => one.idle()));
}

/** Waits for work, but not longer than a time. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  await Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
