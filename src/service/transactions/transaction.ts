/**
 * Root transactions: one per request, change set, job or `fw.tx` (`design` 8).
 *
 * @module
 */

import type { Ending, EndingListener } from "../../context/ending.ts";
import type { EventContext } from "../../context/event_context.ts";
import { currentContext, runInRequest } from "../../context/store.ts";
import type { Logger } from "../../log/logger.ts";
import type { Database, DatabaseTransaction } from "../database.ts";
import type { HandlerOwner } from "../handlers/handlers.ts";
import { PendingHooks, ServiceEvent } from "../requests/service_event.ts";
import { runBefore } from "../handlers/phases.ts";
import type { ServiceRequest } from "../requests/service_request.ts";
import { appended } from "../../util/add_all.ts";
import { andThen, inTurn, type MaybePromise, maybePromise, orElse } from "../../util/maybe_promise.ts";

/** Where a root transaction is in its life. */
export type TransactionState = "open" | "ending" | "committed" | "rolled back";

/** What a root transaction is made from. */
export interface RootTransactionOptions {
  /** Gets what handlers throw when nothing can be changed any more. */
  readonly log: Pick<Logger, "error">;
  /** Learns about the context, if it is a root. */
  readonly adopt?: (context: EventContext) => void;
}

/**
 * A root transaction. Engines begin lazily, with their first statement; services that take part may veto its
 * commit; the requests in it learn how it ended.
 */
export class RootTransaction implements EndingListener {
  /** The context it belongs to. */
  readonly context: EventContext;
  readonly #log: Pick<Logger, "error">;
  /** The transactions of engines in it; mostly one. */
  #engines: Engine[] = NONE;
  /** The requests in it; mostly one. */
  #participants: Participant[] = NONE;
  /** The services that take part, each once; mostly two, of which one is the database. */
  #services: HandlerOwner[] = NONE;
  readonly #commitHooks: PendingHooks<ServiceEvent> = new PendingHooks();
  #afterCommit: (() => unknown)[] = NONE;
  readonly #ending: Ending | undefined;
  #isWatching = false;
  #state: TransactionState = "open";

  /**
   * Creates a transaction; engines begin with their first statement.
   *
   * @param context gets this transaction as its own
   * @param options where errors go that nobody can be told
   */
  constructor(context: EventContext, options: RootTransactionOptions) {
    if (transactionOf(context, true)) {
      throw new Error("The context has an open transaction already");
    }
    this.context = context;
    this.#ending = context.ending;
    this.#ending?.throwIfOver();
    this.#log = options.log;
    context.transaction = this;
    if (context.parent === undefined) options.adopt?.(context);
  }

  /**
   * From now on the transaction is rolled back when the time of its request is over. What does not wait for anything ends
   * before that may happen.
   */
  watch(): void {
    if (this.#ending === undefined || this.#isWatching || !this.isOpen) return;
    this.#isWatching = true;
    this.#ending.add(this);
  }

  /** The time of the request is over: whatever still runs in it cannot change anything any more. */
  onEnding(reason: unknown): void {
    void this.rollback(reason);
  }

  #unwatch(): void {
    if (this.#isWatching) this.#ending!.remove(this);
  }

  /** Where the transaction is in its life. */
  get state(): TransactionState {
    return this.#state;
  }

  /** Whether statements may still run in it: until the commit itself. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /**
   * The transaction of an engine, begun on first use.
   *
   * @param database the engine
   */
  engine(database: Database): DatabaseTransaction {
    this.#assertOpen();
    for (let at = 0; at < this.#engines.length; at++) {
      if (this.#engines[at]!.database === database) return this.#engines[at]!.transaction;
    }
    const engine = { database, transaction: database.begin(this.context) };
    if (this.#engines === NONE) this.#engines = [engine];
    else this.#engines.push(engine);
    return engine.transaction;
  }

  /**
   * A request takes part: its hooks run when the transaction ends.
   *
   * @param service whose `before COMMIT` handlers may veto
   * @param req the request
   */
  join(service: HandlerOwner, req?: ServiceEvent): void {
    if (this.#services === NONE) this.#services = [service];
    else if (!this.#services.includes(service)) this.#services = appended(this.#services, service);
    if (req === undefined || req.commitHooks === this.#commitHooks) return;
    if (this.#participants === NONE) this.#participants = [{ req, service }];
    else this.#participants.push({ req, service });
    req.commitHooks = this.#commitHooks;
    if (req.hooks) { for (const hook of req.hooks.commit) this.#commitHooks.add(req, hook); }
  }

  /**
   * Defers work until the transaction is committed; after a rollback it never runs. What it throws is logged.
   *
   * @param run the work, for example publishing an event
   */
  afterCommit(run: () => unknown): void {
    if (this.#afterCommit === NONE) this.#afterCommit = [];
    this.#afterCommit.push(run);
  }

  /**
   * Asks the hooks, commits, and tells the requests.
   *
   * @throws what a hook or the engine threw; the transaction is rolled back then
   */
  commit(): MaybePromise<void> {
    this.#assertOpen();
    let pending: MaybePromise<void>;
    try {
      pending = this.#hasHooks() ? this.#askAndCommit() : this.#commitEngines(0);
    } catch (error) {
      return this.#commitFailed(error);
    }
    return pending instanceof Promise ? this.#committing(pending) : this.#committed();
  }

  #committing(pending: Promise<void>): Promise<void> {
    return pending.catch((error) => this.#commitFailed(error)).then(() => this.#committed());
  }

  async #askAndCommit(): Promise<void> {
    this.watch();
    await this.#askHooks();
    const ask = this.#ending?.askBeforeCommit;
    if (ask) await runInRequest(this.context, ask);
    // a handler of the commit may have taken too long
    this.#assertOpen();
    await this.#commitEngines(0);
  }

  /** Commits the engines from a place on; waits only for those that do. */
  #commitEngines(first: number): MaybePromise<void> {
    this.#state = "ending";
    for (let at = first; at < this.#engines.length; at++) {
      const pending = this.#engines[at]!.transaction.commit();
      if (pending instanceof Promise) return this.#commitBehind(pending, at + 1);
    }
  }

  async #commitBehind(pending: Promise<void>, first: number): Promise<void> {
    await pending;
    await this.#commitEngines(first);
  }

  #committed(): MaybePromise<void> {
    this.#unwatch();
    if (this.#hasListeners()) return this.#end("committed");
    this.#state = "committed";
  }

  async #commitFailed(error: unknown): Promise<never> {
    if (this.state !== "rolled back") await this.#end("rolled back", error);
    this.#showError(error);
    throw error;
  }

  #assertOpen(): void {
    if (!this.isOpen) throw new Error(`The transaction was ${this.#state} already`);
  }

  /** Whether anybody wants to be asked before the commit. */
  #hasHooks(): boolean {
    if (!this.#commitHooks.isEmpty || this.#ending?.askBeforeCommit !== undefined) return true;
    for (const service of this.#services) if (service.handlers.for("before", COMMIT).length > 0) return true;
    return false;
  }

  /** Whether anybody waits for the end. */
  #hasListeners(): boolean {
    return this.#afterCommit.length > 0 || this.#participants.some(({ req }) => req.hooks !== undefined);
  }

  /**
   * Rolls back and tells the requests. Does nothing if the transaction has ended.
   *
   * @param error the reason
   */
  async rollback(error?: unknown): Promise<void> {
    if (this.isOpen) await this.#end("rolled back", error);
  }

  /** Commit hooks in reverse order of registration, also those registered meanwhile; then services. */
  async #askHooks(): Promise<void> {
    const asked = new Set<HandlerOwner>();
    for (;;) {
      const next = this.#commitHooks.take();
      if (next) {
        await runInRequest(next.req, () => next.hook.call(next.req, next.req));
        continue;
      }
      const service = this.#services.find((one) => !asked.has(one));
      if (service === undefined) return;
      asked.add(service);
      await this.#askService(service);
    }
  }

  async #askService(service: HandlerOwner): Promise<void> {
    if (service.handlers.for("before", COMMIT).length === 0) return;
    const req = new ServiceEvent({ ...COMMIT, context: this.context });
    await runInRequest(req, () => runBefore(service, req));
  }

  /** Failures of the commit belong to the requests from outside; those before it were seen by their services. */
  #showError(error: unknown): void {
    for (const { req, service } of this.#participants) {
      if (req.parent instanceof ServiceEvent) continue;
      for (const { handler } of service.handlers.for("error", req)) {
        handler.call(service, error, req as ServiceRequest);
      }
    }
  }

  #end(state: "committed" | "rolled back", error?: unknown): MaybePromise<void> {
    this.#state = state;
    this.#unwatch();
    const works = state === "committed"
      ? this.#afterCommit
      : this.#engines.map(({ transaction }) => () => transaction.rollback());
    return andThen(this.#runAll(works), () => {
      this.#engines = NONE;
      if (this.#participants.some(({ req }) => req.hooks !== undefined)) {
        return this.#tellRequests(state, error);
      }
    });
  }

  async #tellRequests(state: "committed" | "rolled back", error: unknown): Promise<void> {
    const outcome = state === "committed" ? "succeeded" : "failed";
    for (const event of [outcome, "done"] as const) {
      for (const { req } of this.#participants) {
        for (const hook of req.hooks?.[event] ?? []) {
          const told = state === "committed" ? req.results : error;
          await runInRequest(req, () => this.#quietly(() => hook.call(req, told)));
        }
      }
    }
  }

  /** What belongs to the transaction itself enters its context once: that costs more than most of it. */
  #runAll(works: readonly (() => unknown)[]): MaybePromise<void> {
    if (works.length === 0) return;
    return runInRequest(this.context, () => inTurn(works, (run) => this.#quietly(run)));
  }

  /** Runs what cannot change the outcome any more: failures go to the log. */
  #quietly(run: () => unknown): MaybePromise<unknown> {
    return orElse<unknown>(() => maybePromise(run()), (error) => {
      this.#log.error(`Failed after the transaction was ${this.#state}:`, error);
    });
  }
}

/** The transaction of an engine. */
interface Engine {
  readonly database: Database;
  readonly transaction: DatabaseTransaction;
}

/** A list that nothing was added to yet; frozen, as all transactions share it. */
const NONE = Object.freeze([]) as unknown as never[];

/** The event of services before the commit. */
const COMMIT = { event: "COMMIT" };

/** A request in a transaction, and the service it was sent to. */
interface Participant {
  readonly req: ServiceEvent;
  readonly service: HandlerOwner;
}

/**
 * The open root transaction of a context: its own, or that of the nearest parent with one.
 *
 * @param context the context, for example a request
 * @param own look at this context only
 */
export function transactionOf(context: EventContext | undefined, own = false): RootTransaction | undefined {
  for (let one = context; one; one = own ? undefined : one.parent) {
    if (one.transaction instanceof RootTransaction) {
      return one.transaction.isOpen ? one.transaction : undefined;
    }
  }
  return undefined;
}

/**
 * Runs a function in a root transaction of its own: commits when it resolves, rolls back when it throws.
 *
 * @param context gets the transaction; what runs inside sees it as the current context
 * @param run the work
 * @param options where errors go that nobody can be told
 * @returns what the function resolved to
 */
export async function runInTransaction<T>(
  context: EventContext,
  run: (transaction: RootTransaction) => MaybePromise<T>,
  options: RootTransactionOptions,
): Promise<T> {
  return await runManaged(new RootTransaction(context, options), run);
}

/**
 * Runs a function in a root transaction: commits when it resolves, rolls back when it throws. A `commit` or `rollback`
 * by the function itself is respected.
 *
 * @param transaction the transaction
 * @param run the work; sees the context of the transaction as the current one
 */
export function runManaged<T>(
  transaction: RootTransaction,
  run: (transaction: RootTransaction) => MaybePromise<T>,
): MaybePromise<T> {
  return transaction.context === currentContext() ? runToEnd(transaction, run) : runWithin(transaction, run);
}

function runWithin<T>(
  transaction: RootTransaction,
  run: (transaction: RootTransaction) => MaybePromise<T>,
): MaybePromise<T> {
  return runInRequest(transaction.context, () => runToEnd(transaction, run));
}

function runToEnd<T>(
  transaction: RootTransaction,
  run: (transaction: RootTransaction) => MaybePromise<T>,
): MaybePromise<T> {
  let outcome: MaybePromise<T>;
  try {
    outcome = run(transaction);
  } catch (error) {
    return undo(transaction, error);
  }
  return outcome instanceof Promise ? endLater(transaction, outcome) : keep(transaction, outcome);
}

/** Work that goes on later may take too long. */
function endLater<T>(transaction: RootTransaction, outcome: Promise<T>): Promise<T> {
  transaction.watch();
  return outcome.then((result) => keep(transaction, result), (error) => undo(transaction, error));
}

/** Commits, unless the work has ended the transaction by itself. */
function keep<T>(transaction: RootTransaction, result: T): MaybePromise<T> {
  const pending = transaction.isOpen ? transaction.commit() : undefined;
  return pending instanceof Promise ? resolveTo(result, pending) : result;
}

async function resolveTo<T>(result: T, pending: Promise<void>): Promise<T> {
  await pending;
  return result;
}

async function undo(transaction: RootTransaction, error: unknown): Promise<never> {
  await transaction.rollback(error);
  throw error;
}
