/**
 * Messages of a group that were read and not acknowledged.
 *
 * @module
 */

import type { Redis } from "ioredis";
import type { StreamEntry } from "./redis_message.ts";

const CHUNK = 64;
/** Name under which messages stand whose consumer has taken leave. */
const NOBODY = "-";
/** So long they count as idle: anybody may take them. */
const LONG_MS = 7 * 24 * 60 * 60 * 1000;

/** Removes a consumer unless it has messages, which would go with it. */
const REMOVE = `if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1`;

/** Which messages are taken over. */
export interface Claim {
  readonly stream: string;
  readonly group: string;
  readonly consumer: string;
  /** Time since their last delivery or renewal. */
  readonly idleMs: number;
}

/**
 * Creates a group that begins with the oldest message; one that exists stays as it is.
 *
 * @param redis the connection
 * @param streams the streams, created where they are missing
 * @param group the group
 */
export async function createGroups(redis: Redis, streams: readonly string[], group: string): Promise<void> {
  for (const stream of streams) {
    try {
      await redis.xgroup("CREATE", stream, group, "0", "MKSTREAM");
    } catch (error) {
      if (!/BUSYGROUP/.test((error as Error).message)) throw error;
    }
  }
}

/**
 * Takes over messages, oldest first.
 *
 * @param redis the connection
 * @param claim which
 * @returns the messages and how often they were delivered, this time included
 */
export async function claimPending(
  redis: Redis,
  { stream, group, consumer, idleMs }: Claim,
): Promise<readonly { readonly entry: StreamEntry; readonly deliveries: number }[]> {
  const claimed = [];
  for (let from = "0-0";;) {
    // The shape that Redis documents: where to go on, the entries, and ids of entries that were removed.
    const answer = await redis.xautoclaim(stream, group, consumer, idleMs, from, "COUNT", CHUNK);
    const [next, entries] = answer as [string, StreamEntry[]];
    for (const entry of entries) {
      const pending = await redis.xpending(stream, group, entry[0], entry[0], 1) as [
        string,
        string,
        number,
        number,
      ][];
      claimed.push({ entry, deliveries: pending[0]?.[3] ?? 1 });
    }
    if (next === "0-0") return claimed;
    from = next;
  }
}

/**
 * Removes a consumer; what it has not acknowledged can be taken over by anybody at once.
 *
 * @param redis the connection
 * @param leaving streams, group and name of the consumer
 */
export async function removeConsumer(
  redis: Redis,
  { streams, group, consumer }: {
    readonly streams: readonly string[];
    readonly group: string;
    readonly consumer: string;
  },
): Promise<void> {
  for (const stream of streams) {
    while (await redis.eval(REMOVE, 1, stream, group, consumer) !== 1) {
      const pending = await redis.xpending(stream, group, "-", "+", CHUNK, consumer) as [string][];
      const ids = pending.map(([id]) => id);
      if (ids.length > 0) await redis.xclaim(stream, group, NOBODY, 0, ...ids, "IDLE", LONG_MS, "JUSTID");
    }
  }
}
