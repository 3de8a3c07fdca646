/**
 * The channel over RabbitMQ (`messaging` 7): topic exchanges, quorum queues per group, publisher confirms.
 *
 * @module
 */

import {
  type Backlog,
  type Channel,
  type ChannelOptions,
  type DeadLetters,
  type Delivery,
  type Guarantees,
  joinBacklogs,
  type Message,
  type Subscription,
} from "../../channel.ts";
import { ConsumerSet, publishInLanes } from "../consumer_set.ts";
import { type BrokerOptions, brokerOptions } from "../broker_options.ts";
import { retryUntil } from "../channel_connection.ts";
import { RabbitConsumer } from "./rabbit_consumer.ts";
import { countOf, RabbitLink } from "./rabbit_link.ts";
import { RabbitDeadLetters } from "./rabbit_dead_letters.ts";
import { type RabbitMessage, toRabbit } from "./rabbit_message.ts";
import { RabbitNames, routingKey } from "./rabbit_names.ts";

const KIND = "rabbitmq-messaging";
const NOTICE =
  "At least once per consumer group for every message whose emit returned, across kill -9 of clients and broker; messages " +
  "of one key in order, all of them in one instance of a group at a time, the others stand by for it. A message that no " +
  "group has subscribed to waits, for the retention time, for the first group that does. Queues are quorum queues";

/**
 * Creates a channel over RabbitMQ. Options of the entry: `credentials` (`url`, `user`, `password`), `stream` (name of the
 * exchange), `retentionMs`, `timeoutMs`, `maxMessageBytes`.
 *
 * @param options the configuration
 * @throws ConfigurationError if credentials are missing
 */
export function createRabbitChannel(options: ChannelOptions): Channel {
  return new RabbitChannel(options);
}

class RabbitChannel implements Channel {
  readonly kind = KIND;
  readonly notice = NOTICE;
  readonly guarantees: Guarantees;
  readonly #options: ChannelOptions;
  readonly #broker: BrokerOptions;
  readonly #names: RabbitNames;
  readonly #link: RabbitLink;
  readonly #consumers: ConsumerSet = new ConsumerSet();

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#broker = brokerOptions(options, KIND);
    this.#names = new RabbitNames(this.#broker.stream);
    this.#link = new RabbitLink(this.#broker, this.#names, options.log);
    this.guarantees = {
      delivery: "at-least-once",
      survives: "host crash",
      order: "key",
      dedupeWindowMs: 0,
      maxMessageBytes: this.#broker.maxMessageBytes,
      delayedRetry: true,
      deadLetters: true,
      replay: false,
    };
  }

  deadLetters(group: string): DeadLetters {
    const connection = async () => (await this.#link.get()).connection;
    const { maxMessageBytes } = this.#broker;
    const { turns } = this.#link;
    return new RabbitDeadLetters({ connection, turns, names: this.#names, group, maxMessageBytes });
  }

  async backlog(group: string): Promise<Backlog | undefined> {
    const { connection } = await this.#link.get();
    const queues = [this.#names.queue(group), this.#names.keyedQueue(group)];
    const counts = await Promise.all(queues.map((queue) => countOf(connection, queue)));
    return joinBacklogs(counts.map((waiting) => waiting === undefined ? undefined : { waiting }));
  }

  async connect(signal?: AbortSignal): Promise<void> {
    await this.#link.get(signal);
  }

  async publish(messages: readonly Message[]): Promise<void> {
    const prepared = messages.map((message) => ({
      message,
      raw: toRabbit(message, this.#broker.maxMessageBytes),
    }));
    const { timeoutMs } = this.#broker;
    await publishInLanes(prepared, ({ message, raw }) => {
      const exchange = message.key === undefined ? this.#names.exchange : this.#names.keyed;
      const target = { exchange, key: routingKey(message.topic) };
      return retryUntil(() => this.#publishOnce(target, raw), { broker: "RabbitMQ", timeoutMs });
    });
  }

  async subscribe(
    subscription: Subscription,
    onDelivery: (delivery: Delivery) => Promise<void>,
  ): Promise<{ close(): Promise<void> }> {
    const { log, limits } = this.#options;
    const { maxMessageBytes: messageBytes } = this.#broker;
    const consumer = new RabbitConsumer({
      ...{ link: this.#link, names: this.#names, subscription, onDelivery, log },
      limits: { ...limits, messageBytes },
    });
    await retryUntil(() => consumer.open(), { broker: "RabbitMQ", timeoutMs: this.#broker.timeoutMs });
    return this.#consumers.add(consumer);
  }

  async close(_options?: { drainMs: number }): Promise<void> {
    await this.#consumers.close();
    await this.#link.close();
  }

  /** Publishes and waits for the confirmation: the message is in a majority of the queue's members then. */
  async #publishOnce(
    { exchange, key }: { readonly exchange: string; readonly key: string },
    { content, options }: RabbitMessage,
  ): Promise<void> {
    const { publisher } = await this.#link.get();
    await new Promise<void>((resolve, reject) => {
      publisher.publish(exchange, key, content, options, (error) => error ? reject(error) : resolve());
    });
  }
}
