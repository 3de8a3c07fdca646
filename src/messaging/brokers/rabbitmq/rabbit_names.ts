/**
 * Exchanges and queues of a channel in RabbitMQ.
 *
 * @module
 */

import { encodeHexLowerCase } from "@oslojs/encoding";
import { sha256 } from "@oslojs/crypto/sha2";
import type { ConfirmChannel } from "amqplib";

/** Longest routing key of AMQP 0-9-1, in bytes. */
const ROUTING_KEY_BYTES = 255;
/** Quorum queues of RabbitMQ 4 drop what was given back 20 times, by a look at dead letters, too, unless they are told a limit. */
const QUORUM = { "x-queue-type": "quorum", "x-delivery-limit": 2 ** 31 - 1 };

/** Names below one exchange. */
export class RabbitNames {
  /** Exchange of the messages without key. */
  readonly exchange: string;

  /** @param exchange name of the exchange */
  constructor(exchange: string) {
    this.exchange = exchange;
  }

  /** Exchange of the messages with a key. */
  get keyed(): string {
    return `${this.exchange}.keyed`;
  }

  /** Exchange and queue of messages that no group has subscribed to yet. */
  get unrouted(): string {
    return `${this.exchange}.unrouted`;
  }

  /** Queue of a group for messages without key: all instances take from it. */
  queue(group: string): string {
    return `${this.exchange}.${group}`;
  }

  /** Queue of a group for messages with a key: one instance at a time takes from it. */
  keyedQueue(group: string): string {
    return `${this.queue(group)}.keyed`;
  }

  /** Queue of the dead letters of a group. */
  dead(group: string): string {
    return `${this.queue(group)}.dead`;
  }
}

/** The routing key of a topic: the topic itself, its hash where it is too long. */
export function routingKey(topic: string): string {
  const bytes = new TextEncoder().encode(topic);
  return bytes.length <= ROUTING_KEY_BYTES ? topic : `~${encodeHexLowerCase(sha256(bytes))}`;
}

/**
 * Declares the exchanges, and the queue for messages nobody waits for yet.
 *
 * @param channel where
 * @param names their names
 * @param retentionMs how long messages wait for a first subscription
 */
export async function declareExchanges(
  channel: ConfirmChannel,
  names: RabbitNames,
  retentionMs: number,
): Promise<void> {
  const { exchange, keyed, unrouted } = names;
  await channel.assertExchange(unrouted, "fanout", { durable: true });
  await channel.assertQueue(unrouted, {
    durable: true,
    arguments: { ...QUORUM, "x-message-ttl": retentionMs },
  });
  await channel.bindQueue(unrouted, unrouted, "");
  for (const name of [exchange, keyed]) {
    await channel.assertExchange(name, "topic", { durable: true, alternateExchange: unrouted });
  }
}

/**
 * Declares the queues of a group.
 *
 * @param channel where
 * @param names their names
 * @param group the group
 */
export async function declareQueues(
  channel: ConfirmChannel,
  names: RabbitNames,
  group: string,
): Promise<void> {
  await channel.assertQueue(names.dead(group), { durable: true, arguments: QUORUM });
  await channel.assertQueue(names.queue(group), { durable: true, arguments: QUORUM });
  const single = { ...QUORUM, "x-single-active-consumer": true };
  await channel.assertQueue(names.keyedQueue(group), { durable: true, arguments: single });
}

/**
 * Binds the queues of a group to topics.
 *
 * @param channel where
 * @param names their names
 * @param subscription group and topics
 */
export async function bindQueues(
  channel: ConfirmChannel,
  names: RabbitNames,
  { group, topics }: { readonly group: string; readonly topics: readonly string[] | "*" },
): Promise<void> {
  for (const key of topics === "*" ? ["#"] : topics.map(routingKey)) {
    await channel.bindQueue(names.queue(group), names.exchange, key);
    await channel.bindQueue(names.keyedQueue(group), names.keyed, key);
  }
}
