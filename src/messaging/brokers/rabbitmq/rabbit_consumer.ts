/**
 * The consumers of one group in one process.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { ChannelModel, ConfirmChannel, ConsumeMessage, GetMessage } from "amqplib";
import type { Limits } from "../../../config/limits.ts";
import type { Logger } from "../../../log/logger.ts";
import type { Delivery, Message, Subscription } from "../../channel.ts";
import { writeDeadLetter } from "../../dead_letter.ts";
import type { Incoming } from "../delivery_window.ts";
import { GroupDeliveries } from "../consumer_set.ts";
import { Reopening } from "../reopening.ts";
import { closeRabbit, type RabbitLink, withQueue } from "./rabbit_link.ts";
import { copyOf, deliveriesOf, fromRabbit, topicOfRabbit } from "./rabbit_message.ts";
import { bindQueues, declareQueues, type RabbitNames } from "./rabbit_names.ts";

/** Messages that are fetched beyond those that are handled at once; those that wait for their next delivery count. */
const AHEAD = 256;

/** What a consumer is made from. */
export interface RabbitConsumerOptions {
  readonly link: RabbitLink;
  readonly names: RabbitNames;
  readonly subscription: Subscription;
  readonly onDelivery: (delivery: Delivery) => Promise<void>;
  readonly limits: Limits;
  readonly log: Logger;
}

/** Takes the messages of a group; begins again by itself after the connection was lost. */
export class RabbitConsumer {
  readonly #options: RabbitConsumerOptions;
  readonly #deliveries: GroupDeliveries;
  readonly #reopening: Reopening;
  #channel: ConfirmChannel | undefined;

  /** @param options connection, group and handler */
  constructor(options: RabbitConsumerOptions) {
    this.#options = options;
    this.#deliveries = new GroupDeliveries(options);
    const { link: { lost }, log } = options;
    this.#reopening = new Reopening({ open: () => this.open(), forget: () => this.#forget(), lost, log });
  }

  /** Declares queues and bindings, takes messages that nobody waited for before, and begins to receive. */
  async open(): Promise<void> {
    const { link, log } = this.#options;
    const { connection } = await link.get();
    const channel = await connection.createConfirmChannel();
    channel.on("error", (error: Error) => log.error("RabbitMQ refused:", error.message));
    try {
      await this.#receive(connection, channel);
    } catch (error) {
      await closeRabbit(channel).catch(() => {});
      throw error;
    }
    this.#channel = channel;
    this.#reopening.watch();
    // It may have been lost between the last answer and this line.
    if ((await link.get()).connection !== connection) this.#reopening.start();
  }

  async #receive(connection: ChannelModel, channel: ConfirmChannel): Promise<void> {
    const { link, names, subscription } = this.#options;
    const { group, concurrency } = subscription;
    await declareQueues(channel, names, group);
    await link.turns.take(async () => {
      await drainUnrouted(connection, names, subscription);
      await bindQueues(channel, names, subscription);
      // What was published between the two steps before.
      await drainUnrouted(connection, names, subscription);
    });
    await channel.prefetch(concurrency + AHEAD);
    const take = (raw: ConsumeMessage | null) => raw ? this.#accept(channel, raw) : this.#reopening.start();
    await channel.consume(names.queue(group), take);
    await channel.consume(names.keyedQueue(group), take);
  }

  /** Waits for running handlers; closing gives back the rest, in its order. */
  async close(): Promise<void> {
    await this.#reopening.stop();
    // Until then the broker takes this instance for the one that handles the messages with a key.
    await this.#deliveries.window.close();
    if (this.#channel) await closeRabbit(this.#channel).catch(() => {});
  }

  /** After the connection was lost, the broker delivers everything again that was not acknowledged. */
  #forget(): void {
    this.#deliveries.window.forget();
    this.#channel = undefined;
  }

  #accept(channel: ConfirmChannel, raw: ConsumeMessage): void {
    const { limits, subscription: { strays } } = this.#options;
    if (!strays && !this.#deliveries.wants(topicOfRabbit(raw))) return channel.ack(raw);
    const { message, fault } = fromRabbit(raw, limits);
    this.#deliveries.accept(this.#toIncoming(channel, raw, message), fault);
  }

  #toIncoming(channel: ConfirmChannel, raw: ConsumeMessage, message: Message): Incoming {
    const { names, log, subscription: { group } } = this.#options;
    return {
      message,
      deliveries: deliveriesOf(raw),
      // Throws when the channel is closed: then the message comes again.
      ack: async () => await channel.ack(raw),
      dead: async (reason, deliveries) => {
        log.error(`Gave up message ${message.topic} after ${deliveries} deliveries: ${reason}`);
        const letter = Buffer.from(writeDeadLetter(message, deliveries, reason));
        channel.sendToQueue(names.dead(group), letter, { persistent: true, contentType: "application/json" });
        await channel.waitForConfirms();
        channel.ack(raw);
      },
      // The broker takes it back when the channel is closed, in its order.
      release: () => Promise.resolve(),
    };
  }
}

/** Messages that are moved at once. */
const CHUNK = 200;

/**
 * Moves the messages of the topics of a group to its queues; others stay.
 *
 * @param connection the connection; used for one group at a time
 * @param names the queues
 * @param subscription group and topics
 */
async function drainUnrouted(
  connection: ChannelModel,
  names: RabbitNames,
  subscription: Pick<Subscription, "group" | "topics">,
): Promise<void> {
  await withQueue(connection, names.unrouted, (channel) => move(channel, names, subscription));
}

/** Moves until a round has found nothing for the group: what is published meanwhile keeps its order. */
async function move(
  channel: ConfirmChannel,
  names: RabbitNames,
  { group, topics }: Pick<Subscription, "group" | "topics">,
): Promise<void> {
  for (let moved = 1; moved > 0;) {
    moved = 0;
    const { messageCount } = await channel.checkQueue(names.unrouted);
    for (let rest = messageCount; rest > 0;) {
      const chunk: GetMessage[] = [];
      for (; rest > 0 && chunk.length < CHUNK; rest--) {
        const message = await channel.get(names.unrouted);
        if (!message) rest = 0;
        // Those of other topics are kept until the end of the round, or they would come again and again.
        else if (topics === "*" || topics.includes(topicOfRabbit(message))) chunk.push(message);
      }
      for (const message of chunk) {
        const isKeyed = message.fields.exchange === names.keyed;
        const { content, options } = copyOf(message);
        channel.sendToQueue(isKeyed ? names.keyedQueue(group) : names.queue(group), content, options);
      }
      await channel.waitForConfirms();
      for (const message of chunk) channel.ack(message);
      moved += chunk.length;
    }
    channel.nackAll(true);
  }
}
