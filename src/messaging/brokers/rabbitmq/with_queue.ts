/**
 * Taking messages out of a queue that nobody consumes.
 *
 * @module
 */

import type { ChannelModel, ConfirmChannel } from "amqplib";
import { pause } from "../../../util/time.ts";
import { closeRabbit } from "./rabbit_link.ts";

/** AMQP 0-9-1: somebody else has the queue for himself. */
const LOCKED = 405;
/** AMQP 0-9-1: there is no such queue. */
const NOT_FOUND = 404;
const ATTEMPTS = 100;
const PAUSE_MS = 50;

/**
 * How many messages of a queue are ready: those that were handed out do not count.
 *
 * @param connection the connection
 * @param queue the queue
 * @returns undefined where there is no such queue
 */
export async function countOf(connection: ChannelModel, queue: string): Promise<number | undefined> {
  const channel = await connection.createConfirmChannel();
  let code: unknown;
  channel.on("error", (error: { code?: unknown }) => code = error.code);
  try {
    const { messageCount } = await channel.checkQueue(queue);
    await closeRabbit(channel);
    return messageCount;
  } catch (error) {
    if (code === NOT_FOUND) return undefined;
    throw error;
  }
}

/**
 * Works with the messages of a queue, unless it is empty or missing. One process at a time does so: it holds an exclusive
 * queue meanwhile, which ends with its connection. What was taken and not acknowledged is given back, in its order.
 *
 * @param connection the connection; used for one such work at a time
 * @param queue the queue
 * @param work what is done
 * @returns what the work gave
 */
export async function withQueue<T>(
  connection: ChannelModel,
  queue: string,
  work: (channel: ConfirmChannel) => Promise<T>,
): Promise<T | undefined> {
  const lock = `${queue}.lock`;
  for (let attempt = 1;; attempt++) {
    const channel = await connection.createConfirmChannel();
    let code: unknown;
    channel.on("error", (error: { code?: unknown }) => code = error.code);
    try {
      const { messageCount } = await channel.checkQueue(queue);
      let result: T | undefined;
      if (messageCount > 0) {
        await channel.assertQueue(lock, { exclusive: true });
        result = await work(channel);
        await channel.deleteQueue(lock);
      }
      await closeRabbit(channel);
      return result;
    } catch (error) {
      if (code === NOT_FOUND) return undefined;
      if (code !== LOCKED || attempt === ATTEMPTS) throw error;
    }
    await pause(PAUSE_MS);
  }
}
