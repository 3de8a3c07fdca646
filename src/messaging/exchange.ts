/**
 * What a messaging service does with its channel: publishing after the commit, one subscription for all topics.
 *
 * @module
 */

import { runBriefly } from "../context/store.ts";
import { isServiceError, ServiceError } from "../errors/service_error.ts";
import type { Logger } from "../log/logger.ts";
import type { RootTransaction } from "../service/transactions/transaction.ts";
import { applicationPlace } from "../util/caller_frames.ts";
import type { Channel, Delivery, Message, Subscription } from "./channel.ts";
import { assertDataSize, logPayload } from "./message_json.ts";
import { contextOf } from "./message_headers.ts";
import { counted } from "../util/counted.ts";

/** What an exchange is made from. */
export interface ExchangeOptions {
  /** Name of the messaging service. */
  readonly name: string;
  /** What carries the messages. */
  readonly channel: Channel;
  /** Consumer group. */
  readonly group: string;
  /** Messages handled at once. */
  readonly concurrency: number;
  /** Takes the lines about emitted messages and failures. */
  readonly log: Logger;
  /** Messages that wait in memory for the channel at most. */
  readonly waitingMessages: number;
  /** Pause before the next attempt after a number of failed ones, in milliseconds. */
  readonly retryDelayMs: (attempts: number) => number;
  /** Handles a delivery and settles it. */
  readonly onDelivery: (delivery: Delivery) => Promise<void>;
}

/** Publishes and subscribes for one messaging service. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #topics: Set<string> = new Set();
  readonly #deferred: WeakMap<RootTransaction, Message[]> = new WeakMap();
  readonly #retries: Map<ReturnType<typeof setTimeout>, readonly Message[]> = new Map();
  #subscription: { close(): Promise<void> } | undefined;
  #changing: Promise<void> = Promise.resolve();
  #subscribing: ReturnType<typeof setTimeout> | undefined;
  #isStarted = false;
  #isClosed = false;
  #isScheduled = false;

  /**
   * Binds a messaging service to its channel.
   *
   * @param options channel and consumer group
   */
  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** The topics subscribed to so far; `*` is one of them if everything is. */
  get topics(): ReadonlySet<string> {
    return this.#topics;
  }

  /**
   * Connects, prints what is promised (in a line; all conditions for who debugs), and subscribes.
   *
   * @param more what is promised beside what the channel does
   */
  async start(more?: string): Promise<void> {
    if (this.#isStarted) return;
    const { channel, name, log, group } = this.#options;
    await channel.connect();
    this.#isStarted = true;
    const { delivery, survives, order } = channel.guarantees;
    const promises = `${delivery.replaceAll("-", " ")}, survives ${survives}, order: ${order}`;
    const line = `${name}: ${channel.kind}, consumer group '${group}'; ${promises}`;
    log.info([line, more].filter(Boolean).join(". "));
    if (channel.notice !== undefined) log.debug(`${name}: ${channel.notice}`);
    await this.#resubscribe();
  }

  /** Stops receiving, waits for running handlers, and closes the channel. */
  async close(drainMs: number): Promise<void> {
    this.#isStarted = false;
    this.#isClosed = true;
    clearTimeout(this.#subscribing);
    await this.#changing.catch(() => {});
    for (const [timer, messages] of this.#retries) {
      clearTimeout(timer);
      await this.#options.channel.publish(messages).catch((error) => this.#reportLost(messages, error));
    }
    this.#retries.clear();
    await this.#options.channel.close({ drainMs });
  }

  /**
   * Adds a topic to the subscription.
   *
   * @param topic the topic, or `*`
   * @throws ServiceError if no route leads there
   */
  addTopic(topic: string): void {
    if (this.#topics.has(topic)) return;
    if (topic !== "*") this.#assertRoute(topic);
    this.#topics.add(topic);
    if (!this.#isStarted || this.#isScheduled) return;
    this.#isScheduled = true;
    // Handlers are mostly registered several at once: one new subscription for all of them.
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#subscribeAgain(1);
    });
  }

  /** A handler for what never arrives is a mistake, and is told with its place. */
  #assertRoute(topic: string): void {
    const { channel, name } = this.#options;
    try {
      channel.assertRoute?.(topic);
    } catch (cause) {
      if (!isServiceError(cause)) throw cause;
      const place = applicationPlace();
      const where = place === undefined ? "" : `${place}: `;
      const { status, code } = cause;
      const message =
        `${where}A handler of ${name} waits for '${topic}', which never arrives: ${cause.message}`;
      throw new ServiceError({ status, code, message, cause, unrecoverable: true });
    }
  }

  /** Subscribes; while that fails, again after a growing pause. */
  #subscribeAgain(attempts: number): void {
    this.#resubscribe().catch((error) => {
      const { log, retryDelayMs } = this.#options;
      log.error(`Cannot subscribe, attempt ${attempts}:`, error);
      if (this.#isClosed || (error as { unrecoverable?: unknown }).unrecoverable === true) return;
      clearTimeout(this.#subscribing);
      this.#subscribing = setTimeout(() => this.#subscribeAgain(attempts + 1), retryDelayMs(attempts));
    });
  }

  /** Resolves when the subscription has all topics that were added. */
  async settled(): Promise<void> {
    await Promise.resolve();
    await this.#changing;
  }

  /**
   * Stores messages in the channel.
   *
   * @param messages the messages
   * @param channel one of the channels behind it; default: all of them
   */
  async publish(messages: readonly Message[], channel: Channel = this.#options.channel): Promise<void> {
    const { log } = this.#options;
    if (log._info) { for (const message of messages) logEmitted(message, log); }
    await channel.publish(messages);
  }

  /**
   * Stores a message after the commit of a transaction; never after its rollback.
   *
   * @param transaction the transaction of the emitter
   * @param message the message
   * @throws ServiceError `MESSAGE_TOO_LARGE`, or `CHANNEL_UNREACHABLE` when too many messages wait already
   */
  publishAfterCommit(transaction: RootTransaction, message: Message): void {
    const { channel: { guarantees }, waitingMessages } = this.#options;
    assertDataSize(message.topic, message.data, guarantees.maxMessageBytes);
    const count = [...this.#retries.values()].reduce((sum, { length }) => sum + length, 0);
    if (count >= waitingMessages) {
      const text = `${count} messages wait already for a channel that cannot be reached`;
      throw new ServiceError({ status: 503, code: "CHANNEL_UNREACHABLE", message: text, unreachable: true });
    }
    const waiting = this.#deferred.get(transaction);
    if (waiting) return void waiting.push(message);
    const messages = [message];
    this.#deferred.set(transaction, messages);
    transaction.afterCommit(async () => {
      try {
        await this.publish(messages);
      } catch (error) {
        this.#publishLater(messages, error, 1);
      }
    });
  }

  #publishLater(messages: readonly Message[], error: unknown, attempts: number): void {
    const { log, retryDelayMs, channel } = this.#options;
    const isRefused = (error as { unrecoverable?: unknown }).unrecoverable === true;
    if (isRefused && messages.length > 1) return void this.#publishSingly(messages);
    if (this.#isClosed || isRefused) return this.#reportLost(messages, error);
    log.error(`Cannot publish ${counted(messages.length, "message")}, attempt ${attempts}:`, error);
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      channel.publish(messages).catch((again) => this.#publishLater(messages, again, attempts + 1));
    }, retryDelayMs(attempts));
    this.#retries.set(timer, messages);
  }

  /** Publishes messages one by one, as one of several is refused for good and the others are not to blame. */
  async #publishSingly(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      await this.#options.channel.publish([message]).catch((error) =>
        this.#publishLater([message], error, 1)
      );
    }
  }

  #reportLost(messages: readonly Message[], error: unknown): void {
    const { length } = messages;
    this.#options.log.error(
      `${counted(length, "message")} ${length === 1 ? "was" : "were"} not published:`,
      error,
      messages,
    );
  }

  #resubscribe(): Promise<void> {
    return this.#changing = this.#changing.catch(() => {}).then(async () => {
      const { channel, group, concurrency, onDelivery } = this.#options;
      await this.#subscription?.close();
      this.#subscription = undefined;
      if (this.#topics.size === 0 || !this.#isStarted) return;
      const topics: Subscription["topics"] = this.#topics.has("*") ? "*" : [...this.#topics];
      const subscription = { group, topics, concurrency, strays: true };
      this.#subscription = await channel.subscribe(subscription, onDelivery);
    });
  }
}

function logEmitted(message: Message, log: Logger): void {
  const context = contextOf(message, {});
  context.tenant = message.tenant;
  runBriefly(context, () => log.info("emitting", message.topic, logPayload(message.data)));
}
