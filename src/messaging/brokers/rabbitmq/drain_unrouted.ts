/**
 * Messages that were published before any group had subscribed to their topics.
 *
 * @module
 */

import type { ChannelModel, ConfirmChannel, GetMessage } from "amqplib";
import type { Subscription } from "../../channel.ts";
import { copyOf, topicOfRabbit } from "./rabbit_message.ts";
import type { RabbitNames } from "./rabbit_names.ts";
import { withQueue } from "./with_queue.ts";

/** Messages that are moved at once. */
const CHUNK = 200;

/**
 * Moves the messages of the topics of a group to its queues; others stay.
 *
 * @param connection the connection; used for one group at a time
 * @param names the queues
 * @param subscription group and topics
 */
export async function drainUnrouted(
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
