/**
 * Removing what a channel over Redis has stored.
 *
 * @module
 */

import { Redis } from "ioredis";

/**
 * Removes all keys of a channel.
 *
 * @param address `host:port`
 * @param stream name of the channel
 */
export async function removeRedis(address: string, stream: string): Promise<void> {
  const redis = new Redis(`redis://${address}`);
  for (let cursor = "0";;) {
    const [next, keys] = await redis.scan(cursor, "MATCH", `{${stream}}:*`, "COUNT", 1000);
    if (keys.length > 0) await redis.del(...keys);
    if (next === "0") break;
    cursor = next;
  }
  await redis.quit();
}
