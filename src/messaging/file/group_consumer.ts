/**
 * One consumer of a group: takes its turn under the lock of the group, batch by batch.
 *
 * @module
 */

import type { Logger } from "../../log/logger.ts";
import { messageId } from "../brokers/wire_message.ts";
import type { Delivery, Message, Subscription } from "../channel.ts";
import { writeDeadLetter } from "../dead_letter.ts";
import { type BadLine, type Batch, collectBatch, type Item, nextDue, type ReaderOptions } from "./batch.ts";
import { appendWhole, type BoxPaths, groupFileName, listFiles, segmentPath, writeAll } from "./box.ts";
import { type Cursor, readCursor, type Retry, withTopics, writeCursor } from "./cursor.ts";
import { deadPath } from "./file_dead_letters.ts";
import { GroupLease, type GroupTurn, LeaseLost } from "./group_lease.ts";

/** A turn ends after this time, so that a slow handler repeats little after a crash. */
const TURN_MS = 1_000;
/** Polling in case the watch misses something. */
const POLL_MS = 500;
/** How soon to ask again while another instance has its turn. */
const BUSY_MS = 40;
/** After a turn of so long others get a moment to begin theirs. */
const LONG_TURN_MS = 200;
const MOMENT_MS = 5;
/** Delay of a message whose handler gave none. */
const DEFAULT_DELAY_MS = 1_000;
/** Ids that are remembered to recognize messages after somebody rewrote the box. */
const KNOWN_IDS = 10_000;

/** What a consumer is made from. */
export interface GroupConsumerOptions {
  /** The box. */
  readonly paths: BoxPaths;
  /** Group, topics and concurrency. */
  readonly subscription: Subscription;
  /** Takes the messages. */
  readonly onDelivery: (delivery: Delivery) => Promise<void>;
  /** Bytes of a line at most. */
  readonly maxMessageBytes: number;
  /** Nesting of JSON at most. */
  readonly maxDepth: number;
  /** How long an instance may stand still before another one takes over. */
  readonly leaseMs: number;
  /** The logger. */
  readonly log: Logger;
}

/** How a delivery ended. */
type Outcome =
  | { readonly kind: "over"; readonly deadReason?: string }
  | { readonly kind: "parked" }
  | { readonly kind: "again"; readonly delayMs: number };

interface Done {
  readonly item: Item;
  readonly outcome: Outcome;
}

/** What was done but is not stored yet. */
interface Unstored {
  /** The stored cursor as text, from which the group went on. */
  readonly before: string | undefined;
  /** Where the group is. */
  readonly next: Cursor;
  /** Lines to set aside. */
  readonly bad: BadLine[];
  /** Messages that may be dead letters. */
  readonly done: Done[];
}

const PARKED: Outcome = { kind: "parked" };
const AGAIN: Outcome = { kind: "again", delayMs: DEFAULT_DELAY_MS };

/** Keeps messages of a key back while an earlier one of the key waits for its next delivery. */
class KeyGate {
  readonly #waiting: Map<string, number> = new Map();

  constructor(retries: readonly Retry[]) {
    for (const { key } of retries) this.#add(key, 1);
  }

  isClosed({ retry, message }: Item): boolean {
    return !retry && message.key !== undefined && (this.#waiting.get(message.key) ?? 0) > 0;
  }

  settle({ item: { retry, message }, outcome }: Done): void {
    const isOver = outcome.kind === "over";
    if (retry && isOver) this.#add(message.key, -1);
    if (!retry && !isOver) this.#add(message.key, 1);
  }

  #add(key: string | undefined, count: number): void {
    if (key !== undefined) this.#waiting.set(key, (this.#waiting.get(key) ?? 0) + count);
  }
}

/** A consumer of a group. */
export class GroupConsumer {
  readonly #options: GroupConsumerOptions;
  readonly #ids: Set<string> = new Set();
  readonly #lease: GroupLease;
  readonly #loop: Promise<void>;
  #isClosing = false;
  #unstored: Unstored | undefined;
  #trouble: string | undefined;
  #wake: (() => void) | undefined;
  #isWoken = false;

  /**
   * Creates a consumer and begins to read.
   *
   * @param options the box, the subscription, and what takes the deliveries
   */
  constructor(options: GroupConsumerOptions) {
    this.#options = options;
    const { paths, subscription: { group }, leaseMs, log } = options;
    this.#lease = new GroupLease({
      ...{ paths, group, leaseMs },
      onTakeOver: () =>
        log.warn(
          `An instance of group '${group}' has stood still for ${leaseMs} ms with the lock of the message box ` +
            `${paths.box}: this one takes over, what was under way there is delivered again`,
        ),
    });
    this.#loop = this.#run();
  }

  /** Looks for new messages at once. */
  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  /** Ends after the running deliveries; what was not delivered stays for the next consumer. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.wake();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      this.#isWoken = false;
      let pauseMs = POLL_MS;
      try {
        pauseMs = await this.#turn();
        this.#report(undefined);
      } catch (error) {
        this.#report(error);
      }
      if (pauseMs > 0 && !this.#isWoken && !this.#isClosing) await this.#sleep(pauseMs);
    }
  }

  /** One line when a failure begins, and one when it is over, however often the consumer tries. */
  #report(error: unknown): void {
    const { log, paths, subscription: { group } } = this.#options;
    const trouble = error === undefined ? undefined : String(error);
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    if (trouble === undefined) log.info(`Group '${group}' goes on to read the message box ${paths.box}`);
    else log.error(`Group '${group}' cannot go on to read the message box ${paths.box}, tries again:`, error);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** One batch under the lock of the group; gives the pause before the next one. */
  async #turn(): Promise<number> {
    using turn = await this.#lease.take();
    if (!turn) return BUSY_MS;
    try {
      return await this.#take(turn);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      this.#unstored = undefined;
      const { log, paths, subscription: { group }, leaseMs } = this.#options;
      log.warn(
        `Group '${group}': this instance stood still for more than ${leaseMs} ms, and another one has taken over the ` +
          `message box ${paths.box}; what was under way here is delivered again there`,
      );
      return 0;
    }
  }

  async #take(turn: GroupTurn): Promise<number> {
    const { paths, subscription } = this.#options;
    const startedAt = performance.now();
    const stored = this.#store(turn, readCursor(paths, subscription.group));
    const cursor = withTopics(stored, subscription.topics);
    const batch = collectBatch(paths, cursor, this.#readerOptions());
    const done = await this.#deliver(turn, batch.items, new KeyGate(cursor.retries));
    const isWhole = done.length === batch.items.length;
    const { next, bad } = advance(batch, cursor, done);
    this.#unstored = { before: JSON.stringify(stored), next, bad: [...bad], done: [...done] };
    this.#store(turn, stored);
    if (done.length > 0 || !isWhole || (cursor.catchUp && !next.catchUp)) {
      return performance.now() - startedAt > LONG_TURN_MS ? MOMENT_MS : 0;
    }
    const due = nextDue(next);
    return due === undefined ? POLL_MS : Math.max(1, Math.min(POLL_MS, due - Date.now()));
  }

  /**
   * Stores what was done, and where the group is now. What cannot be stored, as on a full disk, is stored first in the next
   * turn, so that no handler runs twice for it.
   *
   * @param turn the turn of this instance
   * @param stored the stored cursor
   * @returns the cursor that is stored now
   * @throws LeaseLost
   */
  #store(turn: GroupTurn, stored: Cursor | undefined): Cursor | undefined {
    const unstored = this.#unstored;
    if (!unstored) return stored;
    const { before, next, bad, done } = unstored;
    const isMine = JSON.stringify(stored) === before;
    if (isMine) {
      turn.assertHeld();
      for (; bad.length > 0; bad.shift()) this.#keepBad(bad[0]);
      for (; done.length > 0; done.shift()) this.#keepDead(done[0]);
      if (JSON.stringify(next) !== before) writeCursor(turn, next);
    }
    this.#unstored = undefined;
    // Another instance that had its turn meanwhile has delivered the same messages again.
    return isMine ? next : stored;
  }

  #readerOptions(): ReaderOptions {
    const { maxMessageBytes, maxDepth } = this.#options;
    return { maxMessageBytes, maxDepth, isKnown: (message) => this.#ids.has(idOf(message) ?? "") };
  }

  /** Delivers in order, or several at once if asked for; messages of one key never overlap. */
  async #deliver(turn: GroupTurn, items: readonly Item[], gate: KeyGate): Promise<readonly Done[]> {
    const end = Date.now() + TURN_MS;
    const done: Promise<Done>[] = [];
    const running = new Set<Promise<unknown>>();
    const keys = new Map<string, Promise<unknown>>();
    for (const item of items) {
      if (this.#isClosing || Date.now() > end || !turn.isHeld) break;
      const before = item.message.key === undefined ? undefined : keys.get(item.message.key);
      const run = (before ?? Promise.resolve()).then(async () => {
        if (gate.isClosed(item) || !turn.isHeld) return { item, outcome: PARKED };
        const done = await this.#deliverOne(item);
        gate.settle(done);
        return done;
      });
      if (item.message.key !== undefined) keys.set(item.message.key, run);
      done.push(run);
      running.add(run);
      run.finally(() => running.delete(run));
      if (running.size >= this.#options.subscription.concurrency) await Promise.race(running);
    }
    return await Promise.all(done);
  }

  async #deliverOne(item: Item): Promise<Done> {
    const { message, deliveries } = item;
    this.#remember(message);
    let outcome: Outcome | undefined;
    const settle = (result: Outcome) => {
      outcome ??= result;
      return Promise.resolve();
    };
    try {
      await this.#options.onDelivery({
        message,
        deliveries,
        ack: () => settle({ kind: "over" }),
        nack: ({ delayMs = DEFAULT_DELAY_MS, dead, reason = "" } = {}) =>
          settle(dead ? { kind: "over", deadReason: reason } : { kind: "again", delayMs }),
        extend: () => Promise.resolve(),
      });
    } catch {
      // what fails before it is settled comes again, as what nobody settles
    }
    return { item, outcome: outcome ?? AGAIN };
  }

  #remember(message: Message): void {
    const id = idOf(message);
    if (id === undefined) return;
    if (this.#ids.size >= KNOWN_IDS) this.#ids.delete(this.#ids.values().next().value!);
    this.#ids.add(id);
  }

  #keepBad({ segment, start, end, reason }: BadLine): void {
    const { paths, subscription, log } = this.#options;
    const path = `${paths.folder}/${groupFileName(subscription.group)}.bad`;
    const isBox = segment === listFiles(paths).next;
    copyRange(isBox ? paths.box : segmentPath(paths, segment), path, { start, end });
    log.error(`Line at ${start} of segment ${segment} of ${paths.box} set aside in ${path}: ${reason}`);
  }

  #keepDead({ item: { message, deliveries }, outcome }: Done): void {
    if (outcome.kind !== "over" || outcome.deadReason === undefined) return;
    const { paths, subscription, log } = this.#options;
    const path = deadPath(paths, subscription.group);
    const { deadReason: reason } = outcome;
    const line = new TextEncoder().encode(`${writeDeadLetter(message, deliveries, reason)}\n`);
    appendWhole(path, (file) => writeAll(file, line));
    log.error(`Gave up message ${message.topic} after ${deliveries} deliveries, see ${path}: ${reason}`);
  }
}

/** What a message is known by; other programs may write an `id` without the other attributes of a CloudEvent. */
function idOf(message: Message): string | undefined {
  const { topic, headers: { id } } = message;
  return messageId(message) ?? (typeof id === "string" ? `${topic} ${id}` : undefined);
}

/** The cursor after some of a batch was done, and the bad lines before its end. */
function advance(
  batch: Batch,
  before: Cursor,
  done: readonly Done[],
): { readonly next: Cursor; readonly bad: readonly BadLine[] } {
  const { cursor, bad } = done.length === batch.items.length ? batch : passed(batch, before, done);
  return { next: { ...cursor, retries: nextRetries(cursor.retries, done) }, bad };
}

/** What was passed with the last message that was done: all of the older segments, and its own up to there. */
function passed(
  { cursor, bad }: Batch,
  before: Cursor,
  done: readonly Done[],
): { readonly cursor: Cursor; readonly bad: readonly BadLine[] } {
  const last = done.findLast(({ item }) => item.position)?.item.position;
  if (!last) return { cursor: before, bad: [] };
  const { catchUp } = before;
  const isNew = last.offsets === "offsets";
  const read = isNew ? cursor.offsets : cursor.catchUp?.offsets ?? before.offsets;
  const older = Object.entries(read).filter(([segment]) => Number(segment) < last.segment);
  const offsets = { ...Object.fromEntries(older), [last.segment]: last.end };
  return {
    cursor: isNew
      ? { ...before, offsets: { ...before.offsets, ...offsets }, box: cursor.box }
      : { ...before, catchUp: { ...catchUp!, offsets: { ...catchUp!.offsets, ...offsets } } },
    bad: bad.filter(({ segment, end }) =>
      segment < last.segment || (segment === last.segment && end <= last.end)
    ),
  };
}

function nextRetries(retries: readonly Retry[], done: readonly Done[]): readonly Retry[] {
  const settled = new Map(done.map(({ item, outcome }) => [item.retry, { item, outcome }]));
  const kept = retries.flatMap((retry) => {
    const result = settled.get(retry);
    return result ? again(result) : [retry];
  });
  return [...kept, ...done.filter(({ item }) => !item.retry).flatMap(again)];
}

function again({ item, outcome }: Done): readonly Retry[] {
  if (outcome.kind === "over") return [];
  const { line, deliveries, message: { key } } = item;
  return outcome.kind === "parked"
    ? [{ line, key, deliveries: deliveries - 1, due: Date.now() }]
    : [{ line, key, deliveries, due: Date.now() + outcome.delayMs }];
}

function copyRange(from: string, to: string, { start, end }: { start: number; end: number }): void {
  using source = Deno.openSync(from);
  source.seekSync(start, Deno.SeekMode.Start);
  const chunk = new Uint8Array(64 * 1024);
  appendWhole(to, (target) => {
    for (let left = end - start; left > 0;) {
      const read = source.readSync(chunk.subarray(0, Math.min(chunk.length, left)));
      if (read === null) break;
      writeAll(target, chunk.subarray(0, read));
      left -= read;
    }
  });
}
