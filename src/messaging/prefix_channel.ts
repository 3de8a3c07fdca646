/**
 * Topic prefixes on the wire (`messaging` 1): `publishPrefix` and `subscribePrefix` of a configuration entry.
 *
 * @module
 */

import type { Channel, DeadLetters, Guarantees, Message, Subscription } from "./channel.ts";

/** The prefixes of a configuration entry. */
export interface TopicPrefixes {
  /** Added to what is published. */
  readonly publishPrefix?: string;
  /** Added to topics of subscriptions, removed from what arrives. */
  readonly subscribePrefix?: string;
}

/**
 * Adds prefixes to the topics of a channel, and removes them from what arrives.
 *
 * @param channel the channel
 * @param prefixes the configuration entry
 * @returns the channel itself if there are no prefixes
 */
export function withPrefixes(channel: Channel, prefixes: TopicPrefixes): Channel {
  const { publishPrefix = "", subscribePrefix = "" } = prefixes;
  return publishPrefix || subscribePrefix
    ? new PrefixChannel(channel, publishPrefix, subscribePrefix)
    : channel;
}

class PrefixChannel implements Channel {
  readonly kind: string;
  readonly guarantees: Guarantees;
  readonly notice: string | undefined;
  readonly keepsMessages: boolean | undefined;
  readonly isAway: Channel["isAway"];
  readonly backlog: Channel["backlog"];
  readonly connect: Channel["connect"];
  readonly close: Channel["close"];
  readonly #channel: Channel;
  readonly #publishPrefix: string;
  readonly #subscribePrefix: string;

  constructor(channel: Channel, publishPrefix: string, subscribePrefix: string) {
    this.kind = channel.kind;
    this.guarantees = channel.guarantees;
    this.notice = channel.notice;
    this.keepsMessages = channel.keepsMessages;
    this.isAway = channel.isAway?.bind(channel);
    this.backlog = channel.backlog?.bind(channel);
    this.connect = (signal) => channel.connect(signal);
    this.close = (options) => channel.close(options);
    this.#channel = channel;
    this.#publishPrefix = publishPrefix;
    this.#subscribePrefix = subscribePrefix;
  }

  assertRoute(topic: string): void {
    this.#channel.assertRoute?.(topic);
  }

  deadLetters(group: string): DeadLetters | undefined {
    const letters = this.#channel.deadLetters?.(group);
    return letters && {
      list: async (limit) =>
        (await letters.list(limit)).map((one) => ({ ...one, message: this.#local(one.message) })),
      replay: (id) => letters.replay(id),
      discard: (id) => letters.discard(id),
    };
  }

  publish(messages: readonly Message[]): Promise<void> {
    const prefixed = messages.map((message) => ({ ...message, topic: this.#publishPrefix + message.topic }));
    return this.#channel.publish(prefixed);
  }

  subscribe(
    subscription: Subscription,
    onDelivery: Parameters<Channel["subscribe"]>[1],
  ): Promise<{ close(): Promise<void> }> {
    const { topics } = subscription;
    const prefix = this.#subscribePrefix;
    const prefixed = topics === "*" ? topics : topics.map((topic) => prefix + topic);
    return this.#channel.subscribe({ ...subscription, topics: prefixed }, (delivery) => {
      const message = this.#local(delivery.message);
      if (message === delivery.message) return onDelivery(delivery);
      const { deliveries } = delivery;
      return onDelivery({
        deliveries,
        message,
        ack: () => delivery.ack(),
        nack: (options) => delivery.nack(options),
        extend: () => delivery.extend(),
      });
    });
  }

  /** A message under the name that it has in this application. */
  #local(message: Message): Message {
    const prefix = this.#subscribePrefix;
    if (!prefix || !message.topic.startsWith(prefix)) return message;
    return { ...message, topic: message.topic.slice(prefix.length) };
  }
}
