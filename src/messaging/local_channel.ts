/**
 * A channel inside the process: nothing is stored (`messaging` 8).
 *
 * @module
 */

import type { Channel, ChannelOptions, Delivery, Guarantees, Message, Subscription } from "./channel.ts";
import { assertDataSize } from "./message_json.ts";
import { pause } from "../util/time.ts";

/** Messages that wait for their consumer at most; publishing fails beyond. */
const QUEUE_LIMIT = 100_000;

type OnDelivery = (delivery: Delivery) => Promise<void>;

interface Waiting {
  readonly message: Message;
  readonly deliveries: number;
}

/**
 * Creates a channel inside the process.
 *
 * @param options the configuration
 */
export function createLocalChannel(options: Pick<ChannelOptions, "limits" | "log">): Channel {
  return new LocalChannel(options);
}

class LocalChannel implements Channel {
  readonly kind = "local-messaging";
  readonly guarantees: Guarantees;
  readonly notice =
    "At most once, inside this process: messages that were not handled yet are lost when it ends";
  readonly #groups: Map<string, LocalGroup> = new Map();
  readonly #options: Pick<ChannelOptions, "limits" | "log">;
  #closed = false;

  constructor(options: Pick<ChannelOptions, "limits" | "log">) {
    this.#options = options;
    this.guarantees = {
      delivery: "at-most-once",
      survives: "nothing",
      order: "topic",
      dedupeWindowMs: 0,
      maxMessageBytes: options.limits.messageBytes,
      delayedRetry: true,
      deadLetters: false,
      replay: false,
    };
  }

  connect(): Promise<void> {
    return Promise.resolve();
  }

  async publish(messages: readonly Message[]): Promise<void> {
    if (this.#closed) throw new Error("The channel is closed");
    for (const { topic, data } of messages) {
      assertDataSize(topic, data, this.guarantees.maxMessageBytes);
    }
    for (const message of messages) {
      // A copy, so that neither side sees what the other does to its data afterwards.
      for (const group of this.#groups.values()) group.accept(structuredClone(message));
    }
    await Promise.resolve();
  }

  subscribe(subscription: Subscription, onDelivery: OnDelivery): Promise<{ close(): Promise<void> }> {
    let group = this.#groups.get(subscription.group);
    if (!group) this.#groups.set(subscription.group, group = new LocalGroup(this.#options));
    const consumer = group.add(subscription, onDelivery);
    return Promise.resolve({ close: () => group.remove(consumer) });
  }

  async close(options: { drainMs: number } = { drainMs: 0 }): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#groups.values()].map((group) => group.close(options.drainMs)));
  }
}

interface Consumer {
  readonly topics: ReadonlySet<string> | "*";
  readonly concurrency: number;
  readonly onDelivery: OnDelivery;
  readonly running: Set<Promise<void>>;
}

/** The consumers of one group; each message goes to one of them. */
class LocalGroup {
  readonly #options: Pick<ChannelOptions, "limits" | "log">;
  readonly #consumers: Set<Consumer> = new Set();
  readonly #timers: Set<ReturnType<typeof setTimeout>> = new Set();
  #queue: Waiting[] = [];
  #last = 0;

  constructor(options: Pick<ChannelOptions, "limits" | "log">) {
    this.#options = options;
  }

  accept(message: Message): void {
    if (![...this.#consumers].some((consumer) => takes(consumer, message))) return;
    if (this.#queue.length >= QUEUE_LIMIT) throw new Error(`More than ${QUEUE_LIMIT} messages are waiting`);
    this.#queue.push({ message, deliveries: 1 });
    queueMicrotask(() => this.#work());
  }

  add(subscription: Subscription, onDelivery: OnDelivery): Consumer {
    const consumer: Consumer = {
      topics: subscription.topics === "*" ? "*" : new Set(subscription.topics),
      concurrency: Math.max(1, subscription.concurrency),
      onDelivery,
      running: new Set(),
    };
    this.#consumers.add(consumer);
    return consumer;
  }

  async remove(consumer: Consumer): Promise<void> {
    this.#consumers.delete(consumer);
    await Promise.all(consumer.running);
  }

  async close(drainMs: number): Promise<void> {
    const end = Date.now() + drainMs;
    while (this.#queue.length > 0 && Date.now() < end) await pause(5);
    this.#queue = [];
    await Promise.all([...this.#consumers].map((consumer) => this.remove(consumer)));
    // what handlers asked for that ran until now does not come either
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Hands waiting messages, oldest first, to the consumers that have room, in turn. */
  #work(): void {
    while (this.#queue.length > 0) {
      const [waiting] = this.#queue;
      const able = [...this.#consumers].filter((one) => takes(one, waiting.message));
      const free = able.filter((one) => one.running.size < one.concurrency);
      // Nothing overtakes a message that waits for its consumer.
      if (free.length === 0 && able.length > 0) return;
      this.#queue.shift();
      if (free.length > 0) this.#deliver(free[this.#last++ % free.length], waiting);
    }
  }

  #deliver(consumer: Consumer, waiting: Waiting): void {
    const { message, deliveries } = waiting;
    const delivery: Delivery = {
      message,
      deliveries,
      ack: () => Promise.resolve(),
      nack: ({ delayMs = 0, dead, reason } = {}) => {
        if (dead) this.#options.log.error(`Gave up message ${message.topic}:`, reason ?? "", message);
        else this.#later(delayMs, { message, deliveries: deliveries + 1 });
        return Promise.resolve();
      },
      extend: () => Promise.resolve(),
    };
    const run = consumer.onDelivery(delivery)
      .catch((error) => this.#options.log.error(`Failed to take message ${message.topic}:`, error))
      .finally(() => {
        consumer.running.delete(run);
        this.#work();
      });
    consumer.running.add(run);
  }

  #later(delayMs: number, waiting: Waiting): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#queue.push(waiting);
      this.#work();
    }, delayMs);
    this.#timers.add(timer);
  }
}

function takes(consumer: Consumer, message: Message): boolean {
  return consumer.topics === "*" || consumer.topics.has(message.topic);
}
