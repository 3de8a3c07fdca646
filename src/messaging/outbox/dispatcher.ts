/**
 * The worker of one service: claims its work, has it done, and settles it (`messaging` 6).
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { runDetached } from "../../service/own_work.ts";
import { type RootTransactionOptions, runInTransaction } from "../../service/transactions/transaction.ts";
import { isUnreachable } from "../patient_channel.ts";
import {
  Alarm,
  ChunkSize,
  failureOf,
  isUnrecoverable,
  Silence,
  textOf,
  unrecoverable,
  WaitingEmitters,
} from "./dispatch_state.ts";
import { DEAD, Lease, type MessageStore } from "./message_store.ts";
import type { GiveUpRules, QueueTarget } from "./queue_model.ts";
import {
  contextOfWork,
  isPublished,
  lanesOf,
  type OutboxMessage,
  type StoredWork,
  targetOf,
} from "./stored_work.ts";
import { pause, Stopwatch } from "../../util/time.ts";
import { runAtMost } from "../../util/turns.ts";

/** How long work gathers before it is claimed, as a claim costs much more than one of its rows: at first, */
const GATHER_MS = 1;
/** and behind work that was done; meanwhile what is done is still stored, so that the next claim can remove it. */
const GATHER_MORE_MS = 5;
/** Longest pause before a channel that could not be reached is tried again. */
const MAX_PROBE_MS = 5_000;
/** Pieces of work that are done at a time, of one key one. */
const AT_ONCE = 10;
/** Between chunks everything else gets its turn, for this part of the time that it had to wait. */
const GIVEN_WAY = 0.5;

/** What a dispatcher is made from. */
export interface DispatcherOptions {
  /** Name of the service, and of its channel if it has several. */
  readonly target: string;
  /** The rows of one tenant. */
  readonly store: MessageStore;
  /**
   * Finds the service.
   *
   * @throws ConfigurationError if there is none
   */
  readonly connect: (target: string) => Promise<QueueTarget>;
  /** When an attempt was the last one. */
  readonly rules: GiveUpRules;
  /** Pause after a number of failed attempts, in milliseconds. */
  readonly retryDelayMs: (attempts: number) => number;
  /** Where failures go; and what root transactions are made from. */
  readonly root: RootTransactionOptions;
}

/** Works as long as there is something to do, then waits to be woken. */
export class Dispatcher {
  /** Whether it ever could not read or settle its rows in time, so that some may be left. */
  hasFailed = false;
  readonly #options: DispatcherOptions;
  #running: Promise<void> | undefined;
  #isWoken = false;
  /** The time came that somebody asked for. */
  #isDue = false;
  #isStopped = false;
  /**
   * Rows that are done and still stored: the next claim removes them, which saves a transaction for each chunk. A database
   * that fails meanwhile keeps them until it answers again.
   */
  #done: readonly string[] = [];
  /** How often in a row the channel could not be reached. */
  #pauses = 0;
  readonly #silence = new Silence();
  readonly #chunk = new ChunkSize();
  readonly #emitters = new WaitingEmitters();
  /** Where work is done. */
  readonly #contexts: WeakSet<EventContext> = new WeakSet();
  /** Ends the gathering of work at once. */
  #claimNow: () => void = () => {};
  readonly #alarm: Alarm = new Alarm(() => {
    this.#isDue = true;
    this.#start();
  });

  /** @param options service, rows, rules */
  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** There may be work, now or later. While the channel cannot be reached, only the next probe looks for it. */
  wake(afterMs = 0): void {
    if (afterMs > 0) return this.#alarm.ringIn(afterMs);
    this.#isWoken = true;
    if (this.#pauses === 0) this.#start();
  }

  /**
   * Resolves when messages have left, or when it is clear that they do not for now: their channel cannot be reached or
   * refuses them, or others of their key are before them.
   */
  async published(ids: readonly string[]): Promise<void> {
    if (this.#isStopped || this.#pauses > 0) return this.wake();
    const gone = this.#emitters.wait(ids);
    this.wake();
    this.#claimNow();
    await gone;
  }

  /**
   * Whether a context is that of a piece of work of this worker, or inside of it: it must not wait for the worker.
   */
  isAtWorkIn(context: EventContext): boolean {
    for (let one: EventContext | undefined = context; one; one = one.parent) {
      if (this.#contexts.has(one)) return true;
    }
    return false;
  }

  /** Resolves when there is nothing to do now. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Ends after the pieces of work under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#alarm.end();
    this.#claimNow();
    await this.#running;
    this.#emitters.release();
  }

  #start(): void {
    if (this.#isStopped || this.#running) return;
    this.#running = runDetached(this.#options.root, () => this.#work()).finally(() => {
      this.#running = undefined;
      // asked for after the last look and before this moment
      if (this.#isAsked) this.#start();
    });
  }

  async #work(): Promise<void> {
    const { root, target, retryDelayMs } = this.#options;
    try {
      await this.#gather(GATHER_MS);
      do {
        this.#isWoken = this.#isDue = false;
        while (!this.#isStopped && await this.#turn());
        if (this.#done.length > 0) await this.#gather(GATHER_MORE_MS);
      } while (this.#isAsked);
      if (this.#pauses > 0) this.#alarm.ringIn(Math.min(MAX_PROBE_MS, retryDelayMs(this.#pauses)));
      await this.#removeDone();
    } catch (error) {
      this.#emitters.release();
      // a busy database, for example: what is leased comes back when the lease ends
      this.hasFailed = true;
      root.log.error(`Cannot work on the outbox of ${target}:`, error);
      this.#isWoken = this.#isDue = false;
      this.#alarm.ringIn(retryDelayMs(1));
    }
  }

  /** Waits for more work, unless somebody waits for what is there. */
  async #gather(ms: number): Promise<void> {
    if (!this.#emitters.isEmpty || this.#isStopped) return;
    const asked = new Promise<void>((resolve) => this.#claimNow = resolve);
    await Promise.race([asked, pause(ms)]);
  }

  /** Whether somebody has asked to look for work since it was last looked for. */
  get #isAsked(): boolean {
    return !this.#isStopped && (this.#isDue || (this.#isWoken && this.#pauses === 0));
  }

  /** What no claim comes behind is removed by itself. */
  async #removeDone(): Promise<void> {
    if (this.#done.length === 0) return;
    await this.#options.store.remove(this.#done);
    this.#done = [];
  }

  /** Claims and does one chunk, and gives way; whether to look for more: behind a full chunk, and where rows went back. */
  async #turn(): Promise<boolean> {
    const watch = new Stopwatch();
    const { isMore, whole } = await this.#claimAndWork().finally(() => watch.stop());
    if (whole) this.#chunk.learn({ ...whole, ...watch });
    if (isMore) await pause(watch.isBlocking ? watch.elapsedMs * GIVEN_WAY : 0);
    return isMore;
  }

  async #claimAndWork(): Promise<Turn> {
    const { store, target } = this.#options;
    const limit = this.#pauses > 0 ? 1 : this.#chunk.rows;
    const waiting = this.#emitters.ids;
    const { messages, characters } = await store.claim(target, limit, this.#done);
    this.#done = [];
    const ids = messages.map(({ ID }) => ID);
    const isFull = ids.length === limit;
    // what was there before the claim and is not in it is not free
    if (!isFull) this.#emitters.release(new Set(waiting).difference(new Set(ids)));
    if (ids.length === 0) {
      this.#pauses = 0;
      return { isMore: false };
    }
    const lease = new Lease(store, messages);
    let isMore: boolean;
    try {
      isMore = await this.#settleAll(messages, lease) && (isFull || lease.open.length > 0);
    } finally {
      lease.end();
      this.hasFailed ||= !lease.isValid;
      await store.giveBack(lease.open);
    }
    const isWhole = isFull && limit > 1 && lease.open.length === 0;
    if (!this.#emitters.isEmpty) await this.#removeDone();
    this.#emitters.release(ids);
    return { isMore, ...(isWhole ? { whole: { rows: limit, characters } } : {}) };
  }

  async #settleAll(messages: readonly OutboxMessage[], lease: Lease): Promise<boolean> {
    let target: QueueTarget;
    try {
      const { target: name } = this.#options;
      const known = messages.find(({ work }) => work !== undefined && targetOf(work) === name);
      target = await this.#options.connect(known?.work?.service ?? name);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) return this.#pause(error);
      const missing = unrecoverable(error.message);
      for (const message of messages) await this.#fail(message, missing, { lease, isHandler: true });
      return true;
    }
    const works = messages.filter(isPublished).map(({ work }) => work);
    if (target.publish && works.length === messages.length) {
      const error = await failureOf(target.publish(works));
      if (!error) {
        this.#pauses = 0;
        this.#done = lease.open;
        lease.settle(this.#done);
        return true;
      }
      if (isUnreachable(error.reason)) return this.#pause(error.reason);
      if (messages.length === 1) {
        await this.#fail(messages[0]!, error.reason, { lease, isHandler: false, rules: target.rules });
        return true;
      }
      // in a small chunk few others are published again because of one that is refused
      if (this.#chunk.reset()) return true;
    }
    const pauses = this.#pauses;
    const work = (lane: readonly OutboxMessage[]) => this.#lane(lane, target, { lease, pauses });
    const lanes = await runAtMost(AT_ONCE, lanesOf(messages), work);
    return !lanes.includes("paused") && lease.isValid;
  }

  /** Does the work of one key in order; one that fails keeps those behind it waiting. `pauses`: those before this turn. */
  async #lane(
    lane: readonly OutboxMessage[],
    target: QueueTarget,
    { lease, pauses }: { readonly lease: Lease; readonly pauses: number },
  ): Promise<"done" | "paused"> {
    for (const message of lane) {
      if (this.#isStopped || !lease.isValid) return "done";
      if (this.#pauses > pauses) return "paused";
      const isHandler = !isPublished(message);
      const error = await failureOf(this.#one(message, target));
      if (!error) {
        if (isHandler) lease.settle([message.ID]);
        else await this.#published([message.ID], lease);
        continue;
      }
      const { reason } = error;
      if (reason instanceof LeaseLost) return "done";
      if (!isHandler && isUnreachable(reason)) {
        this.#pause(reason);
        return "paused";
      }
      if (!await this.#fail(message, reason, { lease, isHandler, rules: target.rules })) return "done";
    }
    return "done";
  }

  /** What a handler does ends in one transaction with its row; what is published is removed afterwards. */
  async #one({ ID, target: name, work }: OutboxMessage, target: QueueTarget): Promise<void> {
    const { store, root } = this.#options;
    if (work === undefined) throw unrecoverable(`The stored message cannot be read`);
    if (work.kind === "publish") {
      if (!target.publish) throw unrecoverable(`"${name}" is no messaging service`);
      return await target.publish([work]);
    }
    const context = contextOfWork(work);
    this.#contexts.add(context);
    await runInTransaction(context, async () => {
      await target.handle(work);
      if (!await store.settleHere(ID, nextRun(work))) throw new LeaseLost();
    }, root);
    if (work.every !== undefined) this.#alarm.ringIn(work.every);
  }

  /** A database that fails now says nothing about the message: no attempt is counted, and it is published again. */
  async #published(ids: readonly string[], lease: Lease): Promise<void> {
    await this.#options.store.remove(ids);
    lease.settle(ids);
  }

  /** Counts a failed attempt; whether the message is a dead letter now. */
  async #fail(
    message: OutboxMessage,
    error: unknown,
    { lease, isHandler, rules }: {
      readonly lease: Lease;
      readonly isHandler: boolean;
      readonly rules?: Partial<GiveUpRules>;
    },
  ): Promise<boolean> {
    const { store, target, retryDelayMs, root, rules: common } = this.#options;
    const { maxAttempts, maxAgeMs } = { ...common, ...rules };
    const attempts = message.attempts + 1;
    const isOld = isHandler || Date.now() - Date.parse(message.timestamp) >= maxAgeMs;
    const isGivenUp = isUnrecoverable(error) || (attempts >= maxAttempts && isOld);
    const { every, event, kind } = message.work ?? {};
    const name = `${kind === "publish" ? "Publishing" : "Handling"} ${
      event ?? message.task ?? "work"
    } of ${target}`;
    root.log.error(`${name} failed, attempt ${attempts}${isGivenUp ? ", given up" : ""}:`, error);
    const record = { lastError: textOf(error), lastAttemptTimestamp: new Date().toISOString() };
    lease.settle([message.ID]);
    if (isGivenUp && every === undefined) {
      await store.giveBack([message.ID], { ...record, ...DEAD, attempts });
      return true;
    }
    // a repeated task has its next run instead of an end
    const pause = isGivenUp ? every! : retryDelayMs(attempts);
    const due = new Date(Date.now() + pause).toISOString();
    await store.giveBack([message.ID], { ...record, attempts: isGivenUp ? 0 : attempts, due });
    this.#alarm.ringIn(pause);
    return false;
  }

  /** Nobody is there to take messages: none of them is to blame. */
  #pause(error: unknown): false {
    this.#tellAway(error);
    this.#pauses++;
    this.#emitters.release();
    return false;
  }

  #tellAway(error: unknown): void {
    const isFirst = this.#pauses === 0;
    if (!this.#silence.ends(isFirst)) return;
    const { root, target } = this.#options;
    const text = `The channel of ${target} cannot be reached, messages wait:`;
    root.log.error(text, isFirst ? error : (error as Error).message);
  }
}

/** What a claim and the work on it came to. */
interface Turn {
  /** Whether there may be more to do. */
  readonly isMore: boolean;
  /** A full chunk of which nothing is left. */
  readonly whole?: { readonly rows: number; readonly characters: number };
}

/** Somebody else has the row now: what was done is undone. */
class LeaseLost extends Error {
  constructor() {
    super("The lease of the message was lost");
  }
}

function nextRun({ every }: StoredWork): Record<string, string | number | null> | undefined {
  if (every === undefined) return undefined;
  return { attempts: 0, lastError: null, due: new Date(Date.now() + every).toISOString() };
}
