/**
 * Publishing several messages at once.
 *
 * @module
 */

/**
 * Publishes messages of one key one after the other, all others at once.
 *
 * @param messages the messages in their order
 * @param keyOf the key of a message, if it has one
 * @param publish resolves when the message is stored
 */
export async function publishInLanes<T>(
  messages: readonly T[],
  keyOf: (message: T) => string | undefined,
  publish: (message: T) => Promise<void>,
): Promise<void> {
  if (messages.length === 1) return await publish(messages[0]);
  const lanes = new Map<string, Promise<void>>();
  const all = messages.map((message) => {
    const key = keyOf(message);
    if (key === undefined) return publish(message);
    const lane = (lanes.get(key) ?? Promise.resolve()).then(() => publish(message));
    lanes.set(key, lane);
    return lane;
  });
  const failed = (await Promise.allSettled(all)).find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
