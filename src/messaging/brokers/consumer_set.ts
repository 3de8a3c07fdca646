import type { Logger } from "../../log/logger.ts";
import type { Delivery, Message, Subscription } from "../channel.ts";
import { DeliveryWindow, type Incoming } from "./delivery_window.ts";

/** What can be closed. */
interface Closable {
  close(): Promise<void>;
}

/** Open consumers; they end one by one, or all together with their channel. */
export class ConsumerSet {
  readonly #open: Set<Closable> = new Set();

  /**
   * Keeps a consumer that is open.
   *
   * @param consumer the consumer
   * @returns what ends it
   */
  add(consumer: Closable): Closable {
    this.#open.add(consumer);
    return {
      close: async () => {
        this.#open.delete(consumer);
        await consumer.close();
      },
    };
  }

  /** Ends all. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((consumer) => consumer.close()));
    this.#open.clear();
  }
}

/** Who receives what. */
interface GroupDeliveriesOptions {
  readonly subscription: Subscription;
  readonly onDelivery: (delivery: Delivery) => Promise<void>;
  readonly log: Logger;
}

/** The messages of a group on their way from a broker to their handler. */
export class GroupDeliveries {
  /** What is here and not settled yet. */
  readonly window: DeliveryWindow;
  readonly #options: GroupDeliveriesOptions;
  readonly #topics: ReadonlySet<string> | "*";

  /**
   * Receives nothing yet.
   *
   * @param options group, handler and logger
   * @param extendMs how often the broker is asked for more time for everything that is here
   */
  constructor(options: GroupDeliveriesOptions, extendMs?: number) {
    const { subscription: { topics, concurrency }, onDelivery, log } = options;
    this.#options = options;
    this.#topics = topics === "*" ? topics : new Set(topics);
    this.window = new DeliveryWindow({ concurrency, onDelivery, log, extendMs });
  }

  /**
   * Whether the group has subscribed to a topic.
   *
   * @param topic the topic
   */
  wants(topic: string): boolean {
    return this.#topics === "*" || this.#topics.has(topic);
  }

  /**
   * Takes a message; one that cannot be understood becomes a dead letter.
   *
   * @param incoming the message and how it is settled
   * @param fault why it cannot be understood
   */
  accept(incoming: Incoming, fault: string | undefined): void {
    if (fault === undefined) return this.window.accept(incoming);
    const { log, subscription: { group } } = this.#options;
    log.error(`Gave up message ${incoming.message.topic} of group '${group}': ${fault}`);
    incoming.dead(fault, incoming.deliveries).catch((error) =>
      log.error("Cannot store a dead letter:", error)
    );
  }
}

/**
 * Publishes messages of one key one after the other, all others at once.
 *
 * @param messages the messages in their order, each with what the broker gets of it
 * @param publish resolves when a message is stored
 */
export async function publishInLanes<T extends { readonly message: Message }>(
  messages: readonly T[],
  publish: (message: T) => Promise<void>,
): Promise<void> {
  if (messages.length === 1) return await publish(messages[0]);
  const lanes = new Map<string, Promise<void>>();
  const all = messages.map((one) => {
    const { key } = one.message;
    if (key === undefined) return publish(one);
    const lane = (lanes.get(key) ?? Promise.resolve()).then(() => publish(one));
    lanes.set(key, lane);
    return lane;
  });
  const failed = (await Promise.allSettled(all)).find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
