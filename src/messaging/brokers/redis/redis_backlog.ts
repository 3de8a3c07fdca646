/**
 * What waits in Redis for a group.
 *
 * @module
 */

import type { Redis } from "ioredis";
import { backlogSince, joinBacklogs } from "../../backlog.ts";
import type { Backlog } from "../../channel.ts";

/** What of the reply to `XINFO GROUPS` is needed. */
interface GroupInfo {
  readonly name: string;
  readonly pending: number;
  /** Null where messages were removed from the middle of the stream. */
  readonly lag: number | null;
  readonly "last-delivered-id": string;
}

/**
 * What waits for a group in streams: what was not given to it yet, and what it has not settled.
 *
 * @param redis the connection
 * @param streams keys
 * @param group the group
 * @returns undefined where no stream has the group
 */
export async function redisBacklog(
  redis: Redis,
  streams: readonly string[],
  group: string,
): Promise<Backlog | undefined> {
  const found = await Promise.all(streams.map((stream) => backlogIn(redis, stream, group)));
  return joinBacklogs(found);
}

async function backlogIn(redis: Redis, stream: string, group: string): Promise<Backlog | undefined> {
  const info = (await groupsOf(redis, stream)).find(({ name }) => name === group);
  if (!info) return undefined;
  const [summary, next] = await Promise.all([
    redis.xpending(stream, group) as Promise<[number, string | null]>,
    redis.xrange(stream, `(${info["last-delivered-id"]}`, "+", "COUNT", 1),
  ]);
  const times = [summary[1], next[0]?.[0]].map((id) => typeof id === "string" ? timeOf(id) : undefined);
  // a stream of which messages are removed one by one does not know how many are left behind a place in it
  const lag = info.lag ?? (next.length > 0 ? 1 : 0);
  return backlogSince(info.pending + lag, times);
}

/** A stream that nothing was published to is not there. */
async function groupsOf(redis: Redis, stream: string): Promise<readonly GroupInfo[]> {
  if (await redis.exists(stream) === 0) return [];
  const lists = await redis.xinfo("GROUPS", stream) as readonly (readonly unknown[])[];
  return lists.map((list) => {
    const pairs = list.flatMap((name, n) => n % 2 === 0 ? [[name, list[n + 1]] as const] : []);
    return Object.fromEntries(pairs) as unknown as GroupInfo; // the names are those of the reply
  });
}

/** Ids begin with the milliseconds at which the server stored the entry. */
function timeOf(id: string): number {
  return Number(id.split("-", 1)[0]);
}
