/**
 * Publishing several messages at once.
 *
 * @module
 */

import type { Message } from "../channel.ts";

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
