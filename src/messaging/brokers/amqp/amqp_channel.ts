/**
 * The channel over brokers that speak AMQP 1.0 (`messaging` 7). Queues are made by the operator: AMQP 1.0 has no way to
 * declare them.
 *
 * @module
 */

import type {
  Channel,
  ChannelOptions,
  DeadLetters,
  Delivery,
  Guarantees,
  Message,
  Subscription,
} from "../../channel.ts";
import { ConsumerSet, publishInLanes } from "../consumer_set.ts";
import { retryUntil } from "../channel_connection.ts";
import { AmqpConsumer } from "./amqp_consumer.ts";
import { AmqpDeadLetters } from "./amqp_dead_letters.ts";
import { AmqpLink } from "./amqp_link.ts";
import { toAmqp } from "./amqp_message.ts";
import { AMQP_KIND, type AmqpOptions, amqpOptions } from "./amqp_addresses.ts";

const NOTICE =
  "At least once per consumer group for every message whose emit returned, if the queues of the groups are durable and " +
  "bound to the topics before; one queue per group, made by the operator. Messages of one key in order only if the broker " +
  "gives a queue to one consumer at a time (singleConsumer: true) or knows groups of messages. Dead letters go to " +
  "deadLetterQueue; without it they are rejected, and the broker decides";

/**
 * Creates a channel over AMQP 1.0. Options of the entry: `credentials` (`url`, `user`, `password`, `tls`), `address`
 * (default `topic:{topic}`, on RabbitMQ the exchange `amq.topic`), `queue` (default `queue:{group}`, on RabbitMQ the queue of
 * that name), `deadLetterQueue`, `singleConsumer`, `timeoutMs`, `maxMessageBytes`.
 *
 * @param options the configuration
 * @throws ConfigurationError if credentials are missing
 */
export function createAmqpChannel(options: ChannelOptions): Channel {
  return new AmqpChannel(options);
}

class AmqpChannel implements Channel {
  readonly kind = AMQP_KIND;
  readonly notice = NOTICE;
  readonly guarantees: Guarantees;
  readonly #options: ChannelOptions;
  readonly #amqp: AmqpOptions;
  readonly #link: AmqpLink;
  readonly #consumers: ConsumerSet = new ConsumerSet();

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#amqp = amqpOptions(options);
    this.#link = new AmqpLink(this.#amqp);
    this.guarantees = {
      delivery: "at-least-once",
      survives: this.#amqp.sync ? "host crash" : "process crash",
      order: this.#amqp.singleConsumer ? "key" : "none",
      dedupeWindowMs: 0,
      maxMessageBytes: this.#amqp.maxMessageBytes,
      delayedRetry: true,
      deadLetters: this.#amqp.deadLetterQueue !== undefined,
      replay: false,
    };
  }

  deadLetters(group: string): DeadLetters | undefined {
    const { deadLetterQueue, maxMessageBytes, timeoutMs, attemptMs } = this.#amqp;
    if (deadLetterQueue === undefined) return undefined;
    return new AmqpDeadLetters({ link: this.#link, group, maxMessageBytes, timeoutMs, attemptMs });
  }

  async connect(signal?: AbortSignal): Promise<void> {
    await this.#link.get(signal);
  }

  async publish(messages: readonly Message[]): Promise<void> {
    const { maxMessageBytes, timeoutMs } = this.#amqp;
    const prepared = messages.map((message) => ({ message, raw: toAmqp(message, maxMessageBytes) }));
    await publishInLanes(prepared, ({ message, raw }) => {
      const attempt = async () => {
        const { addresses } = await this.#link.get();
        await (await this.#link.sender(addresses.topic(message.topic))).send(raw);
      };
      return retryUntil(attempt, { broker: "The AMQP broker", timeoutMs });
    });
  }

  async subscribe(
    subscription: Subscription,
    onDelivery: (delivery: Delivery) => Promise<void>,
  ): Promise<{ close(): Promise<void> }> {
    const { log, limits } = this.#options;
    const { maxMessageBytes: messageBytes } = this.#amqp;
    const consumer = new AmqpConsumer({
      ...{ link: this.#link, subscription, onDelivery, log },
      limits: { ...limits, messageBytes },
    });
    await retryUntil(() => consumer.open(), { broker: "The AMQP broker", timeoutMs: this.#amqp.timeoutMs });
    return this.#consumers.add(consumer);
  }

  async close(_options?: { drainMs: number }): Promise<void> {
    await this.#consumers.close();
    await this.#link.close();
  }
}
