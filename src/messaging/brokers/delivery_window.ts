/**
 * The messages that a consumer of a broker has taken and not settled yet.
 *
 * @module
 */

import type { Logger } from "../../log/logger.ts";
import type { Delivery, Message } from "../channel.ts";

/** Delay of a message whose handler gave none. */
const DEFAULT_DELAY_MS = 1_000;

/** A message as it came from a broker, and how the broker is told what became of it. */
export interface Incoming {
  /** The message. */
  readonly message: Message;
  /** How often the broker delivered it, this time included. */
  readonly deliveries: number;
  /** Done. */
  ack(): Promise<void>;
  /** Stores a dead letter, then the message is done. */
  dead(reason: string, deliveries: number): Promise<void>;
  /** Gives the message back to the broker, which delivers it again to anybody. */
  release(): Promise<void>;
  /** Leaves the delay to the broker; without it the message waits here. Messages with a key always wait here. */
  delay?(ms: number): Promise<void>;
  /** Asks the broker for more time. */
  extend?(): Promise<void>;
  /** Tells that the message was dropped here without being settled. */
  forgotten?(): void;
  /** Whether somebody else has the message by now: then it is not handled here. */
  isStale?(): boolean;
}

/** What a window is made from. */
export interface WindowOptions {
  /** Messages handled at once. */
  readonly concurrency: number;
  /** Takes the messages. */
  readonly onDelivery: (delivery: Delivery) => Promise<void>;
  /** The logger. */
  readonly log: Logger;
  /** How often the broker is asked for more time for everything that is here. */
  readonly extendMs?: number;
}

interface Entry {
  readonly incoming: Incoming;
  retries: number;
  isRunning: boolean;
  timer?: ReturnType<typeof setTimeout>;
}

type Outcome = { readonly kind: "ack" } | {
  readonly kind: "nack";
  readonly delayMs: number;
  readonly dead: boolean;
  readonly reason: string;
};

/**
 * Hands messages to their handler: in the order of arrival, several at once if asked for, those of one key one after the
 * other. A message that waits for its next delivery keeps back its own key only.
 */
export class DeliveryWindow {
  readonly #options: WindowOptions;
  readonly #entries: Set<Entry> = new Set();
  /** Messages of a key in their order; the first one is ready, runs or waits for its next delivery. */
  readonly #lanes: Map<string, Entry[]> = new Map();
  readonly #extending: ReturnType<typeof setInterval> | undefined;
  #ready: Entry[] = [];
  #running: Set<Promise<void>> = new Set();
  #isClosing = false;
  #roomSought: PromiseWithResolvers<void> | undefined;

  /** @param options handler and concurrency */
  constructor(options: WindowOptions) {
    this.#options = options;
    if (options.extendMs !== undefined) {
      this.#extending = setInterval(() => this.#extendAll(), options.extendMs);
    }
  }

  /** Messages that are here: ready, running, or waiting for their next delivery. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Takes a message.
   *
   * @param incoming the message and how it is settled
   */
  accept(incoming: Incoming): void {
    const entry: Entry = { incoming, retries: 0, isRunning: false };
    this.#entries.add(entry);
    if (this.#isClosing) return this.#settle(entry, () => incoming.release());
    const { key } = incoming.message;
    const lane = key === undefined ? undefined : this.#lanes.get(key);
    if (lane) return void lane.push(entry);
    if (key !== undefined) this.#lanes.set(key, [entry]);
    this.#ready.push(entry);
    this.#work();
  }

  /**
   * Waits until there is room.
   *
   * @param limit messages that may be here
   */
  async hasRoom(limit: number): Promise<void> {
    while (this.#entries.size >= limit && !this.#isClosing) {
      this.#roomSought ??= Promise.withResolvers();
      await this.#roomSought.promise;
    }
  }

  /**
   * Forgets what does not run: the broker delivers it again, because the connection was lost.
   *
   * @param concerns which messages; default: all
   */
  forget(concerns: (message: Message) => boolean = () => true): void {
    const idle = [...this.#entries].filter(({ isRunning, incoming }) =>
      !isRunning && concerns(incoming.message)
    );
    for (const entry of idle) {
      this.#drop(entry);
      entry.incoming.forgotten?.();
    }
    this.#work();
  }

  /** Waits for running handlers and gives everything else back. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#roomSought?.resolve();
    clearInterval(this.#extending);
    this.#ready = [];
    const idle = [...this.#entries].filter(({ isRunning }) => !isRunning);
    for (const entry of idle) this.#settle(entry, () => entry.incoming.release());
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #work(): void {
    while (this.#ready.length > 0 && this.#running.size < this.#options.concurrency && !this.#isClosing) {
      const entry = this.#ready.shift()!;
      entry.isRunning = true;
      this.#track(this.#deliver(entry));
    }
  }

  #track(work: Promise<void>): void {
    const run = work.finally(() => {
      this.#running.delete(run);
      this.#work();
    });
    this.#running.add(run);
  }

  async #deliver(entry: Entry): Promise<void> {
    const { incoming } = entry;
    if (incoming.isStale?.()) {
      this.#drop(entry);
      return incoming.forgotten?.();
    }
    const outcome = await this.#outcomeOf(entry);
    entry.isRunning = false;
    if (outcome.kind === "ack") return await this.#end(entry, () => incoming.ack());
    if (outcome.dead) {
      const deliveries = incoming.deliveries + entry.retries;
      return await this.#end(entry, () => incoming.dead(outcome.reason, deliveries));
    }
    if (incoming.delay && incoming.message.key === undefined) {
      return await this.#end(entry, () => incoming.delay!(outcome.delayMs));
    }
    if (this.#isClosing) return await this.#end(entry, () => incoming.release());
    entry.retries++;
    entry.timer = setTimeout(() => {
      this.#ready.push(entry);
      this.#work();
    }, outcome.delayMs);
  }

  async #outcomeOf({ incoming, retries }: Entry): Promise<Outcome> {
    let outcome: Outcome | undefined;
    const settle = (result: Outcome) => {
      outcome ??= result;
      return Promise.resolve();
    };
    try {
      await this.#options.onDelivery({
        message: incoming.message,
        deliveries: incoming.deliveries + retries,
        ack: () => settle({ kind: "ack" }),
        nack: ({ delayMs = DEFAULT_DELAY_MS, dead = false, reason = "" } = {}) =>
          settle({ kind: "nack", delayMs, dead, reason }),
        extend: () => incoming.extend?.() ?? Promise.resolve(),
      });
    } catch (error) {
      this.#options.log.error(`Failed to take message ${incoming.message.topic}:`, error);
    }
    return outcome ?? { kind: "nack", delayMs: DEFAULT_DELAY_MS, dead: false, reason: "" };
  }

  /** Settles a message; where that fails, the broker delivers it again. */
  async #end(entry: Entry, settle: () => Promise<void>): Promise<void> {
    try {
      await settle();
    } catch (error) {
      const { topic } = entry.incoming.message;
      this.#options.log.warn(`Cannot settle message ${topic}, it will be delivered again:`, error);
    }
    this.#drop(entry);
  }

  #settle(entry: Entry, settle: () => Promise<void>): void {
    this.#track(this.#end(entry, settle));
  }

  #drop(entry: Entry): void {
    clearTimeout(entry.timer);
    this.#entries.delete(entry);
    this.#roomSought?.resolve();
    this.#roomSought = undefined;
    this.#ready = this.#ready.filter((one) => one !== entry);
    const { key } = entry.incoming.message;
    const lane = key === undefined ? undefined : this.#lanes.get(key);
    if (!lane) return;
    const wasFirst = lane[0] === entry;
    const rest = lane.filter((one) => one !== entry);
    if (rest.length === 0) return void this.#lanes.delete(key!);
    this.#lanes.set(key!, rest);
    if (wasFirst && !this.#isClosing) this.#ready.push(rest[0]);
  }

  #extendAll(): void {
    for (const { incoming } of this.#entries) {
      incoming.extend?.().catch((error) =>
        this.#options.log.warn(`Cannot ask for more time for ${incoming.message.topic}:`, error)
      );
    }
  }
}
